package dev.spream.storage.jdbc.projection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/** Tests of failure descriptions that need no server. */
final class FailureTextsTest {
    private static final StackTraceElement OWN =
            new StackTraceElement("com.example.Entries", "apply", "Entries.java", 12);

    @Test
    void the_place_is_the_first_of_the_projection_itself() {
        SQLException failure = thrownFrom(
                new PSQLException("secret", PSQLState.CONNECTION_FAILURE),
                "org.postgresql.core.v3.QueryExecutorImpl",
                "com.zaxxer.hikari.pool.ProxyPreparedStatement",
                "jdk.proxy2.$Proxy7",
                "java.lang.reflect.Method",
                "dev.spream.storage.jdbc.internal.GuardedConnection");
        assertThat(FailureTexts.of(failure))
                .isEqualTo(
                        "org.postgresql.util.PSQLException, SQLSTATE 08006 at com.example.Entries.apply(Entries.java:12)");
    }

    @Test
    void without_a_frame_of_a_projection_the_place_of_the_throw_is_shown() {
        IOException failure = new IOException("secret");
        failure.setStackTrace(
                new StackTraceElement[] {frame("java.io.Reader"), frame("dev.spream.projection.event.Feed")});
        assertThat(FailureTexts.of(failure)).isEqualTo("java.io.IOException at java.io.Reader.run(A.java:1)");
        failure.setStackTrace(new StackTraceElement[0]);
        assertThat(FailureTexts.of(failure)).isEqualTo("java.io.IOException");
    }

    @Test
    void causes_are_told_as_well_and_no_message_of_a_batch() {
        PSQLException cause =
                thrownFrom(new PSQLException("column x is not there\nsecret", PSQLState.UNDEFINED_COLUMN), "java.A");
        SQLException batch = thrownFrom(
                new BatchUpdateException("INSERT INTO t VALUES ('secret')", "42703", 0, new int[0], cause), "java.A");
        IllegalStateException failure = new IllegalStateException("secret", batch);
        failure.setStackTrace(new StackTraceElement[] {OWN});
        assertThat(FailureTexts.of(failure))
                .startsWith("java.lang.IllegalStateException at com.example.Entries")
                .contains("; caused by java.sql.BatchUpdateException, SQLSTATE 42703 at com.example.Entries")
                .contains("; caused by org.postgresql.util.PSQLException, SQLSTATE 42703 at com.example.Entries")
                .endsWith("(column x is not there)")
                .doesNotContain("secret");
    }

    @Test
    void a_statement_that_the_driver_cannot_read_is_not_told() {
        assertThat(FailureTexts.of(new PSQLException("Unterminated string in SELECT 'secret", PSQLState.SYNTAX_ERROR)))
                .contains("SQLSTATE 42601")
                .doesNotContain("secret");
    }

    @Test
    void of_causes_without_end_the_first_are_told() {
        Exception failure = new IOException("0");
        for (int i = 0; i < 10; i++) {
            failure = new IOException("secret", failure);
        }
        assertThat(FailureTexts.of(failure).split("caused by", -1)).hasSize(4);
    }

    private static <E extends Exception> E thrownFrom(E failure, String... classes) {
        StackTraceElement[] frames = new StackTraceElement[classes.length + 1];
        for (int i = 0; i < classes.length; i++) {
            frames[i] = frame(classes[i]);
        }
        frames[classes.length] = OWN;
        failure.setStackTrace(frames);
        return failure;
    }

    private static StackTraceElement frame(String type) {
        return new StackTraceElement(type, "run", "A.java", 1);
    }
}

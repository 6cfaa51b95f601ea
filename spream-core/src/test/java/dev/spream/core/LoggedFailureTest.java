package dev.spream.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class LoggedFailureTest {

    @Test
    void a_foreign_failure_is_logged_without_rows_and_secrets_and_with_its_stack_trace() {
        Secrets.add("0pensesame");
        Exception server =
                new IllegalArgumentException("refused for 0pensesame\n  Detail: Failing row contains (Jane).");
        Exception own = new IllegalStateException("sink failed: " + server.getMessage(), server);
        StringWriter logged = new StringWriter();
        LoggedFailure.of(own).printStackTrace(new PrintWriter(logged, true));
        assertThat(logged.toString())
                .contains("java.lang.IllegalStateException: sink failed: refused for ********")
                .contains("java.lang.IllegalArgumentException: refused for ********")
                .contains("at " + LoggedFailureTest.class.getName())
                .doesNotContain("0pensesame", "Jane");
    }

    @Test
    void an_own_failure_is_logged_without_the_rows_that_it_quotes_of_its_cause() {
        Exception server = new IllegalStateException("refused\n  Detail: Failing row contains (Jane).");
        SpreamException own = new SpreamException(
                "writing failed: %s; nothing was written\nlook at the table".formatted(server.getMessage()),
                new SpreamException("the batch failed", server));
        assertThat(LoggedFailure.message(own))
                .isEqualTo("writing failed: refused; nothing was written\nlook at the table");
        assertThat(LoggedFailure.of(own)).hasMessageNotContaining("Jane").isNotSameAs(own);
        assertThat(LoggedFailure.brief(LoggedFailure.of(own))).isEqualTo(LoggedFailure.brief(own));
    }

    @Test
    void a_failure_that_has_nothing_to_hide_is_logged_as_it_is() {
        Exception failure = new SpreamException("several\nlines", new IllegalStateException("one line"));
        assertThat(LoggedFailure.of(failure)).isSameAs(failure);
    }
}

package dev.spream.storage.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SqlErrorsTest {

    @Test
    void broken_connections_conflicts_and_busy_servers_may_succeed_later() {
        for (String state : List.of(
                "08000", "08001", "08003", "08006", "40001", "40P01", "53100", "53200", "53300", "55P03", "57014",
                "57P01", "57P02", "57P03", "25006")) {
            assertThat(SqlErrors.isRetryable(new SQLException("down", state)))
                    .as(state)
                    .isTrue();
        }
    }

    @Test
    void errors_of_the_request_are_not_retryable() {
        for (String state : List.of("28P01", "28000", "3D000", "42501", "42P01", "22021", "23514", "57P04", "XX000")) {
            assertThat(SqlErrors.isRetryable(new SQLException("no", state)))
                    .as(state)
                    .isFalse();
        }
        assertThat(SqlErrors.isRetryable(new SQLException("no state"))).isFalse();
    }

    @Test
    void a_timeout_of_the_pool_is_classified_by_the_error_of_the_server() {
        assertThat(SqlErrors.isRetryable(new SQLTransientConnectionException("timed out")))
                .isTrue();
        SQLException refused = new SQLException("connection refused", "08001");
        assertThat(SqlErrors.isRetryable(new SQLTransientConnectionException("timed out", "08001", 0, refused)))
                .isTrue();
        SQLException password = new SQLException("password authentication failed", "28P01");
        SQLException timedOut = new SQLTransientConnectionException("timed out", null, 0, password);
        StorageException failure = SqlErrors.storageException("renewing 3 leases", timedOut);
        assertThat(failure.retryable()).isFalse();
        assertThat(failure)
                .hasMessageContaining("renewing 3 leases failed: timed out: password authentication failed")
                .hasMessageContaining("28P01")
                .hasMessageContaining("check user and password")
                .hasCause(timedOut);
    }

    @Test
    void an_error_about_data_is_named_by_its_state_alone() {
        SQLException value = new SQLException("invalid input syntax for type integer: \"Jane Doe\"", "22P02");
        SQLException batch =
                new SQLException("Batch entry 0 insert into t values ('Jane Doe') was aborted", "23505", value);
        for (SQLException error : List.of(value, batch)) {
            assertThat(SqlErrors.storageException("keeping a letter", error))
                    .hasMessageStartingWith("keeping a letter failed (SQLSTATE 22P02); ");
            assertThat(SqlErrors.ofCommit("keeping a letter", error, "the table"))
                    .hasMessageNotContaining("Jane");
        }
    }

    @Test
    void an_interrupt_is_restored() {
        SQLException interrupted = new SQLException("interrupted during connection acquisition");
        interrupted.initCause(new InterruptedException());
        StorageException failure = SqlErrors.storageException("reading", interrupted);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure.retryable()).isTrue();
    }
}

package dev.spream.storage.jdbc.lock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PostgresErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "55P03, true, has to be rolled back",
        "40P01, true, from its beginning",
        "40001, true, from its beginning",
        "53200, false, max_locks_per_transaction",
        "42P01, false, ./spream locks provision",
        "3F000, false, name the schema",
        "42501, false, grant the user",
        "25006, false, accepts writes",
        "25P02, false, roll it back",
        "57014, false, administrator",
        "22023, false, failed: reason",
        "08006, true, when it detects the closed connection",
    })
    void each_code_says_whether_to_try_again_and_what_to_do(String state, boolean retryable, String advice) {
        LockException failure = PostgresErrors.exception("locking", new SQLException("reason\n  Hint: none", state));
        assertThat(failure.retryable()).isEqualTo(retryable);
        assertThat(failure)
                .hasMessageStartingWith("locking failed: reason (SQLSTATE " + state + ")")
                .hasMessageContaining(advice);
        assertThat(failure.getMessage()).doesNotContain("Hint");
    }

    @Test
    void each_code_has_its_type() {
        assertThat(typeOf("55P03")).isEqualTo(LockTimeoutException.class);
        assertThat(typeOf("40P01")).isEqualTo(LockDeadlockException.class);
        assertThat(typeOf("40001")).isEqualTo(LockDeadlockException.class);
        assertThat(typeOf("57014")).isEqualTo(LockCancelledException.class);
        assertThat(typeOf("42P01")).isEqualTo(BucketSpaceException.class);
        assertThat(typeOf("53200")).isEqualTo(LockStoreException.class);
        assertThat(typeOf("99999")).isEqualTo(LockStoreException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"08000", "08003", "08006", "25P03", "53300", "57P01", "57P02", "57P03", "57P05"})
    void a_connection_that_is_gone_or_not_to_be_had(String state) {
        assertThat(typeOf(state)).isEqualTo(LockConnectionException.class);
    }

    @Test
    void a_timeout_of_the_pool_has_no_code() {
        assertThat(PostgresErrors.exception("locking", new SQLException("no connection within 30 s")))
                .isInstanceOf(LockConnectionException.class);
    }

    @Test
    void a_limit_of_statements_is_a_timeout() {
        assertThat(PostgresErrors.exception(
                        "locking", new SQLException("ERROR: canceling statement due to statement timeout", "57014")))
                .isInstanceOf(LockTimeoutException.class);
    }

    private Class<?> typeOf(String state) {
        return PostgresErrors.exception("locking", new SQLException("reason", state))
                .getClass();
    }
}

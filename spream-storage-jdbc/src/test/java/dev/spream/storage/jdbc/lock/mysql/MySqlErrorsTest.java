package dev.spream.storage.jdbc.lock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockBusyException;
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

/** Numbers and states as the servers and both drivers were seen to give them. */
final class MySqlErrorsTest {

    @ParameterizedTest
    @CsvSource({"1205,40001", "1205,HY000", "1969,70100", "3024,HY000"})
    void a_wait_that_took_too_long_is_a_timeout_whatever_the_driver_calls_it(int number, String state) {
        assertThat(of(number, state)).isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void a_lock_that_is_not_to_be_had_at_once_is_busy() {
        assertThat(of(3572, "HY000")).isInstanceOf(LockBusyException.class);
    }

    @ParameterizedTest
    @CsvSource({"1213,40001", "1020,HY000"})
    void a_transaction_that_was_chosen_to_fail_may_run_again(int number, String state) {
        assertThat(of(number, state))
                .isInstanceOf(LockDeadlockException.class)
                .hasMessageContaining("run the transaction again");
    }

    @ParameterizedTest
    @CsvSource({
        "0,08S01",
        "-1,08000",
        "1220,08000",
        "4031,HY000",
        "1040,08004",
        "1927,70100",
        "1053,08S01",
        "3169,HY000",
        "0,"
    })
    void a_connection_that_is_gone_is_told_from_everything_else(int number, String state) {
        assertThat(of(number, state))
                .isInstanceOf(LockConnectionException.class)
                .hasMessageContaining("when it detects the closed connection");
    }

    @Test
    void a_cancelled_statement_is_one_in_both_drivers() {
        assertThat(of(1317, "70100")).isInstanceOf(LockCancelledException.class);
        assertThat(of(new SQLException("Statement cancelled due to client request")))
                .isInstanceOf(LockCancelledException.class);
    }

    @Test
    void tables_that_are_not_there_and_servers_that_take_no_locks_are_not_the_right_space() {
        assertThat(of(1146, "42S02"))
                .isInstanceOf(BucketSpaceException.class)
                .hasMessageContaining("./spream locks provision");
        assertThat(of(1792, "25006"))
                .isInstanceOf(BucketSpaceException.class)
                .hasMessageContaining("a read-write transaction");
    }

    @Test
    void the_rest_says_what_to_do_where_that_is_known() {
        assertThat(of(1142, "42000"))
                .isInstanceOf(LockStoreException.class)
                .hasMessage(
                        "locking failed: no (error 1142); grant the user SELECT and UPDATE on the tables of the locks");
        assertThat(of(1206, "HY000"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("innodb_buffer_pool_size");
        assertThat(of(1064, "42000")).isInstanceOf(LockStoreException.class);
    }

    private static LockException of(int number, String state) {
        return of(new SQLException("no", state, number));
    }

    private static LockException of(SQLException error) {
        return MySqlErrors.exception("locking", error);
    }
}

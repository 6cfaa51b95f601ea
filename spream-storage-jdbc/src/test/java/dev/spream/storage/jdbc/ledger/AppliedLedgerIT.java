package dev.spream.storage.jdbc.ledger;

import static dev.spream.storage.jdbc.ledger.LedgerFixture.PAUSE;
import static dev.spream.storage.jdbc.ledger.LedgerFixture.change;
import static dev.spream.storage.jdbc.ledger.LedgerFixture.replay;
import static dev.spream.storage.jdbc.ledger.LedgerFixture.settledBefore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.StorageException;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class AppliedLedgerIT {
    private final LedgerFixture fixture = new LedgerFixture();
    private final AppliedLedger ledger = fixture.ledger();
    private final Consumer consumer = ledger.consumer(LedgerFixture::count);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_change_that_comes_again_takes_effect_once() throws Exception {
        consumer.consume(change(1), settledBefore(0));
        consumer.consume(change(1), settledBefore(0));
        fixture.ledger().consumer(LedgerFixture::count).consume(change(1), settledBefore(1));
        consumer.consume(change(2), settledBefore(1));

        assertThat(fixture.effects()).containsExactly("tx1", "tx2");
    }

    @Test
    void of_a_batch_those_take_effect_that_did_not_before() throws Exception {
        BatchConsumer batches = ledger.batchConsumer(LedgerFixture::countAll);
        batches.consume(change(2), settledBefore(0));

        ledger.apply(
                List.of(change(3), change(1), change(2), change(3)),
                Collections.nCopies(4, settledBefore(0)),
                LedgerFixture::countAll);

        assertThat(fixture.effects()).containsExactly("tx2", "tx3", "tx1");
    }

    @Test
    void an_effect_that_fails_leaves_no_entry_and_takes_place_when_it_is_tried_again() throws Exception {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> ledger.consumer((connection, change) -> {
                            LedgerFixture.count(connection, change);
                            throw new IllegalStateException("of the effect");
                        })
                        .consume(change(1), settledBefore(0)))
                .withMessage("of the effect");
        assertThat(fixture.entries()).isEmpty();

        consumer.consume(change(1), settledBefore(0));
        assertThat(fixture.effects()).containsExactly("tx1");
    }

    @Test
    void a_failed_statement_of_the_effect_comes_out_as_it_was() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> ledger.consumer((connection, change) ->
                                connection.createStatement().execute("SELECT 1 / 0"))
                        .consume(change(1), settledBefore(0)))
                .returns("22012", SQLException::getSQLState);
    }

    @Test
    void a_failed_statement_of_the_ledger_names_it_and_the_remedy() throws Exception {
        fixture.database.execute("ALTER TABLE spream.applied_change RENAME TO gone");

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> consumer.consume(change(1), settledBefore(0)))
                .withMessageContaining("'orders'")
                .withMessageContaining("create the tables")
                .returns(false, StorageException::retryable);
        try (Connection connection = fixture.database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> ledger.apply(connection, change(1), settledBefore(0)))
                    .withMessageContaining("has to be rolled back")
                    .withMessageContaining("create the tables");
            connection.rollback();
        }
    }

    @Test
    void rows_are_removed_below_the_low_watermark_when_it_is_time_to() throws Exception {
        consumer.consume(change(1), settledBefore(0));
        consumer.consume(change(2), settledBefore(2));
        assertThat(fixture.entries()).as("not long after the last time").containsExactly("tx1", "tx2");

        fixture.passTime(PAUSE);
        consumer.consume(change(3), settledBefore(2));
        assertThat(fixture.settledBelow()).isEqualTo(2);
        assertThat(fixture.entries()).containsExactly("tx2", "tx3");

        fixture.passTime(PAUSE);
        consumer.consume(change(3), settledBefore(1));
        assertThat(fixture.settledBelow())
                .as("an older watermark moves nothing back")
                .isEqualTo(2);
    }

    @Test
    void a_change_whose_row_was_removed_does_nothing() throws Exception {
        consumer.consume(change(1), settledBefore(0));
        ledger.prune(LedgerFixture.at(5));
        fixture.passTime(PAUSE);
        ledger.prune(LedgerFixture.at(5));
        assertThat(fixture.entries()).isEmpty();

        fixture.ledger().consumer(LedgerFixture::count).consume(change(1), settledBefore(0));
        fixture.ledger().consumer(LedgerFixture::count).consume(change(4), settledBefore(0));
        assertThat(fixture.effects()).containsExactly("tx1");
        consumer.consume(change(5), settledBefore(5));
        assertThat(fixture.effects())
                .as("the low watermark itself is not settled")
                .containsExactly("tx1", "tx5");
    }

    @Test
    void a_subscription_that_starts_over_continues_at_the_position_of_the_ledger() throws Exception {
        for (int second = 1; second <= 9; second++) {
            consumer.consume(change(second), settledBefore(second - 1));
            fixture.passTime(PAUSE);
        }

        Consumer restarted = fixture.ledger().consumer(LedgerFixture::count);
        for (int second = 1; second <= 10; second++) {
            restarted.consume(change(second), settledBefore(0));
        }

        assertThat(fixture.effects())
                .containsExactly("tx1", "tx2", "tx3", "tx4", "tx5", "tx6", "tx7", "tx8", "tx9", "tx10");
    }

    @Test
    void a_change_from_before_the_ledger_is_refused_with_what_to_do() throws Exception {
        consumer.consume(change(5), settledBefore(5));

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> consumer.consume(change(4), settledBefore(0)))
                .withMessageContaining("2026-01-01T00:00:04Z/tx4/00000000")
                .withMessageContaining("start again from 2026-01-01T00:00:05Z")
                .withMessageContaining("'orders'");
        assertThat(fixture.effects()).containsExactly("tx5");

        fixture.ledger("others").consumer(LedgerFixture::count).consume(change(4), settledBefore(0));
        assertThat(fixture.effects()).containsExactly("tx5", "tx4");
    }

    @Test
    void a_ledger_begins_at_the_earliest_low_watermark_of_its_first_batch() throws Exception {
        ledger.apply(
                List.of(change(2), change(4)), List.of(settledBefore(1), settledBefore(3)), LedgerFixture::countAll);
        assertThat(fixture.effects()).containsExactly("tx2", "tx4");
    }

    @Test
    void a_replayed_change_takes_effect_once_whatever_its_time_and_its_row_stays() throws Exception {
        Consumer replays = fixture.ledger().consumer(LedgerFixture::count);
        replays.consume(change(1), replay());
        assertThat(fixture.texts("SELECT name FROM spream.applied_ledger WHERE covers_from IS NOT NULL"))
                .as("a replay begins no ledger")
                .isEmpty();
        consumer.consume(change(7), settledBefore(7));
        ledger.prune(LedgerFixture.at(8));
        fixture.passTime(PAUSE);
        ledger.prune(LedgerFixture.at(8));

        replays.consume(change(1), replay());
        replays.consume(change(2), replay());
        replays.consume(change(2), replay());

        assertThat(fixture.effects()).containsExactly("tx1", "tx7", "tx2");
        assertThat(fixture.entries()).containsExactly("tx1", "tx2");
    }

    @Test
    void a_change_that_was_replayed_does_nothing_when_a_worker_that_lost_its_lease_brings_it() throws Exception {
        consumer.consume(change(1), settledBefore(0));
        consumer.consume(change(2), replay());

        consumer.consume(change(2), settledBefore(0));

        assertThat(fixture.effects()).containsExactly("tx1", "tx2");
    }

    @Test
    void ledgers_of_one_schema_know_nothing_of_each_other() throws Exception {
        consumer.consume(change(1), settledBefore(0));
        fixture.ledger("others").consumer(LedgerFixture::count).consume(change(1), settledBefore(1));

        assertThat(fixture.effects()).containsExactly("tx1", "tx1");
    }

    @Test
    void changes_of_one_transaction_and_transactions_of_one_time_are_told_apart_to_the_nanosecond() throws Exception {
        ledger.apply(
                List.of(
                        Identities.of(LedgerFixture.START.plusNanos(1), "a", "0"),
                        Identities.of(LedgerFixture.START.plusNanos(1), "a", "1"),
                        Identities.of(LedgerFixture.START.plusNanos(1), "b", "0"),
                        Identities.of(LedgerFixture.START.plusNanos(2), "a", "0")),
                Collections.nCopies(4, settledBefore(0)),
                LedgerFixture::countAll);

        assertThat(fixture.effects()).containsExactly("a", "a", "b", "a");
    }

    @Test
    void a_transaction_of_the_callers_takes_effect_with_its_entry_or_not_at_all() throws Exception {
        try (Connection connection = fixture.database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(ledger.apply(connection, change(1), settledBefore(0))).isTrue();
            LedgerFixture.count(connection, change(1));
            connection.rollback();

            assertThat(ledger.apply(connection, change(1), settledBefore(0))).isTrue();
            LedgerFixture.count(connection, change(1));
            connection.commit();

            assertThat(ledger.apply(connection, change(1), settledBefore(0))).isFalse();
            connection.rollback();
        }
        assertThat(fixture.effects()).containsExactly("tx1");
    }

    @Test
    void a_connection_that_commits_by_itself_or_keeps_its_snapshot_is_refused() throws Exception {
        try (Connection connection = fixture.database.dataSource().getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> ledger.apply(connection, change(1), settledBefore(0)))
                    .withMessageContaining("auto-commit");
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatIllegalStateException()
                    .isThrownBy(() -> ledger.apply(connection, change(1), settledBefore(0)))
                    .withMessageContaining("repeatable read")
                    .withMessageContaining("READ COMMITTED");
            connection.rollback();
        }
    }

    @Test
    void a_server_whose_transactions_keep_their_snapshot_by_default_does_not_matter() throws Exception {
        fixture.database.execute("ALTER DATABASE %s SET default_transaction_isolation = 'serializable'"
                .formatted(fixture.texts("SELECT current_database()").getFirst()));
        try (var pool = fixture.database.open()) {
            AppliedLedger.builder(pool, "orders")
                    .build()
                    .consumer(LedgerFixture::count)
                    .consume(change(1), settledBefore(0));
        }
        assertThat(fixture.effects()).containsExactly("tx1");
    }

    @Test
    void a_server_that_answers_before_a_commit_is_on_disk_is_asked_not_to() throws Exception {
        fixture.database.execute("ALTER DATABASE %s SET synchronous_commit = off"
                .formatted(fixture.texts("SELECT current_database()").getFirst()));
        try (var pool = fixture.database.open()) {
            AppliedLedger.builder(pool, "orders")
                    .build()
                    .consumer((connection, change) -> connection
                            .createStatement()
                            .execute(
                                    "INSERT INTO public.effects (change) SELECT current_setting('synchronous_commit')"))
                    .consume(change(1), settledBefore(0));
        }
        assertThat(fixture.effects()).containsExactly("on");
    }

    @Test
    void missing_tables_are_reported_if_migration_is_disabled() {
        fixture.database.execute("DROP SCHEMA spream CASCADE");

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> AppliedLedger.builder(fixture.database.dataSource(), "orders")
                        .migrate(false)
                        .build())
                .withMessageContaining("the applied ledger")
                .withMessageContaining("sink.jdbc.migrate=true");
    }

    @Test
    void invalid_settings_are_refused_before_the_ledger_is_built() {
        var dataSource = fixture.database.dataSource();
        assertThatIllegalArgumentException().isThrownBy(() -> AppliedLedger.builder(dataSource, ""));
        assertThatIllegalArgumentException().isThrownBy(() -> AppliedLedger.builder(dataSource, "n".repeat(201)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AppliedLedger.builder(dataSource, "n").schema("No"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AppliedLedger.builder(dataSource, "n").statementTimeout(Duration.ofMillis(99)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ledger.apply(List.of(), List.of(), LedgerFixture::countAll));
    }
}

package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.projection.search.SearchDocument;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.outbox.JdbcIdempotencyLedger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The smallest programs of the guides in {@code docs}, each on an empty database. */
@Timeout(120)
final class GuideExamplesIT {
    private final DataSource database = PostgresDatabase.create().source();

    @Test
    void the_outbox_sends_its_message_and_stores_the_result() throws Exception {
        OutboxExample.run(database, "order-1");

        assertThat(JdbcIdempotencyLedger.create(database).find("order-1"))
                .map(LedgerEntry::status)
                .contains(LedgerStatus.SUCCEEDED);
    }

    @Test
    void the_projection_adds_up_the_events() throws Exception {
        Totals.run(database);

        assertThat(number("SELECT cents FROM customer_totals WHERE customer = 'ann'"))
                .isEqualTo(70);
    }

    @Test
    void a_writer_reads_what_it_has_written() throws Exception {
        assertThat(ReadYourWrites.awaited(database)).isEqualTo("the read model has the event");
        assertThat(number("SELECT events FROM counts WHERE type = 'MoneyDeposited'"))
                .isPositive();
        ReadYourWrites.inline(database);
        assertThat(number("SELECT events FROM inline_counts WHERE account = 'account-2'"))
                .isEqualTo(1);
    }

    @Test
    void the_locks_guard_a_transaction_and_a_handle() throws Exception {
        LockExample.run(database, Duration.ZERO);

        assertThat(number("SELECT balance FROM lock_example WHERE account = 'u1/a1'"))
                .isEqualTo(100);
    }

    @Test
    void the_search_finds_the_word_by_the_beginning_of_its_definition(@TempDir Path directory) throws Exception {
        assertThat(SearchExample.found(database, directory))
                .extracting(SearchDocument::id)
                .containsExactly("word-1");
    }

    private long number(String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}

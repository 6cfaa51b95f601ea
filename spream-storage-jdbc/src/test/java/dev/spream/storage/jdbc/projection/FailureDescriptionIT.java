package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.NOTHING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchException;

import dev.spream.projection.Fence;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the descriptions of real server errors in a projection: enough to find them, without data. */
@Timeout(120)
final class FailureDescriptionIT {
    private final TestProjections test = new TestProjections();
    private final Fence.Segment fence = test.held(ANN);

    @AfterEach
    void close() {
        test.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "INSERT INTO notes VALUES ('secret', 1), ('secret', 2)|"
                        + "SQLSTATE 23505, constraint notes_pkey, table public.notes",
                "INSERT INTO notes VALUES ('secret', NULL) | SQLSTATE 23502, table public.notes, column amount",
                "INSERT INTO notes VALUES ('secret', -1) | SQLSTATE 23514, constraint is_owed, table public.notes",
                "SELECT 'secret'::int | SQLSTATE 22P02",
                "DO $$ BEGIN RAISE EXCEPTION 'secret'; END $$ | SQLSTATE P0001",
                "INSERT INTO nots VALUES ('secret') | (relation \"nots\" does not exist)",
                "SELECT amont, 'secret' FROM notes | (column \"amont\" does not exist)",
                "SET ROLE stranger; TABLE notes | (permission denied for table notes)",
                "CREATE TABLE nowhere.t () | (schema \"nowhere\" does not exist)",
            })
    void an_error_of_the_server_is_told_by_its_state_and_names(String sql, String told) {
        test.execute(
                "CREATE TABLE public.notes (id text PRIMARY KEY, amount int NOT NULL CONSTRAINT is_owed CHECK (amount > 0))",
                "DO $$ BEGIN CREATE ROLE stranger; EXCEPTION WHEN duplicate_object THEN END $$");
        assertThat(describe(sql)).contains(told).doesNotContain("secret");
    }

    private String describe(String sql) {
        return test.store.describe(catchException(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL search_path = public");
                statement.execute(sql);
            }
            return NOTHING;
        })));
    }

    @Test
    void a_batch_tells_what_the_server_said_and_not_its_statement() {
        Exception failure = catchException(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO public.balances VALUES (?, 1)")) {
                for (int i = 0; i < 2; i++) {
                    statement.setString(1, "secret");
                    statement.addBatch();
                }
                statement.executeBatch();
            }
            return NOTHING;
        }));
        assertThat(test.store.describe(failure))
                .startsWith("java.sql.BatchUpdateException, SQLSTATE 23505")
                .contains("PSQLException, SQLSTATE 23505, constraint balances_pkey, table public.balances")
                .doesNotContain("secret");
    }
}

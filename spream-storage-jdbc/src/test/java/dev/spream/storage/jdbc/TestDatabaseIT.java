package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that one test has used, as the next one sees it. */
final class TestDatabaseIT {
    @Test
    void it_is_as_good_as_new() throws SQLException {
        String used;
        try (TestDatabase database = database()) {
            used = database.url();
            database.execute(
                    "DELETE FROM public.items WHERE name = 'first'",
                    "INSERT INTO public.items (name) VALUES ('mine'), ('mine too')",
                    "INSERT INTO public.empty VALUES (1)",
                    "CREATE TYPE public.state AS ENUM ('NEW')",
                    "CREATE TABLE public.others (id int GENERATED ALWAYS AS IDENTITY, state public.state)",
                    "CREATE VIEW public.both_tables AS SELECT i.name, o.id FROM public.items i, public.others o",
                    "CREATE SCHEMA elsewhere",
                    "CREATE TABLE elsewhere.others (id serial, item int)",
                    "CREATE FUNCTION public.one() RETURNS int LANGUAGE sql AS 'SELECT 1'");
            database.passTime(Duration.ofDays(30));
        }
        try (TestDatabase database = database()) {
            assertThat(database.url()).isEqualTo(used);
            assertThat(value(database, "SELECT string_agg(concat(id, name), ' ') FROM public.items"))
                    .isEqualTo("1first");
            assertThat(value(database, "SELECT count(*) FROM public.empty")).isEqualTo("0");
            assertThat(value(database, "SELECT nextval('public.numbers')")).isEqualTo("1");
            assertThat(value(database, "INSERT INTO public.items (name) VALUES ('second') RETURNING id"))
                    .isEqualTo("2");
            assertThat(value(database, "SELECT clock_timestamp() < pg_catalog.clock_timestamp() + interval '1 day'"))
                    .isEqualTo("t");
            assertThat(value(database, """
                            SELECT concat_ws(' ', to_regtype('public.state'), to_regclass('public.others'),
                                to_regclass('public.both_tables'), to_regnamespace('elsewhere'), to_regproc('public.one'))""")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE public.items ADD COLUMN another int",
                "DROP TABLE public.empty",
                "CREATE INDEX ON public.items (name)",
                "GRANT SELECT ON public.items TO PUBLIC",
                "ANALYZE public.items",
                "ALTER TABLE public.items RENAME TO things",
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = ''1MB''', current_database()); END $$"
            })
    void it_is_dropped_when_it_was_altered(String alteration) {
        String altered;
        try (TestDatabase database = database()) {
            altered = database.url();
            database.execute(alteration);
        }
        try (TestDatabase database = database()) {
            assertThat(database.url()).isNotEqualTo(altered);
        }
    }

    @Test
    void sessions_that_are_left_end_with_it() throws SQLException {
        Connection left;
        try (TestDatabase database = database()) {
            left = DriverManager.getConnection(database.url());
        }
        try (left) {
            assertThat(left.isValid(10)).isFalse();
        }
    }

    @Test
    void time_passes_when_all_sessions_were_ended() throws SQLException {
        try (TestDatabase database = database()) {
            database.passTime(Duration.ofDays(1));
            database.execute("""
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()""");
            database.passTime(Duration.ofDays(1));
            assertThat(value(database, "SELECT clock_timestamp() > pg_catalog.clock_timestamp() + interval '47 hours'"))
                    .isEqualTo("t");
        }
    }

    @Test
    void a_session_that_is_used_again_is_as_good_as_new() throws SQLException {
        String process;
        try (TestDatabase database = database();
                Connection used = database.dataSource().getConnection();
                Statement statement = used.createStatement()) {
            process = value(statement, "SELECT pg_backend_pid()");
            statement.execute("SET work_mem = '1MB'");
            statement.execute("LISTEN news");
            statement.execute("SELECT pg_advisory_lock(1)");
            used.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            used.setAutoCommit(false);
            statement.execute("INSERT INTO public.empty VALUES (1)");
        }
        try (TestDatabase database = database()) {
            assertThat(value(database, "SELECT pg_backend_pid()")).isEqualTo(process);
            assertThat(value(database, """
                            SELECT concat_ws(' ', current_setting('work_mem'),
                                (SELECT count(*) FROM pg_listening_channels()),
                                (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
                                current_setting('transaction_isolation'), (SELECT count(*) FROM public.empty))""")).isEqualTo("4MB 0 0 read committed 0");
        }
    }

    private static TestDatabase database() {
        return TestDatabase.with(
                "items",
                database -> database.execute(
                        "CREATE SEQUENCE public.numbers",
                        "CREATE TABLE public.empty (id int)",
                        "CREATE TABLE public.items (id int GENERATED ALWAYS AS IDENTITY, name text, length int GENERATED ALWAYS AS (length(name)) STORED)",
                        "INSERT INTO public.items (name) VALUES ('first')"));
    }

    private static String value(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            return value(statement, sql);
        }
    }

    private static String value(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}

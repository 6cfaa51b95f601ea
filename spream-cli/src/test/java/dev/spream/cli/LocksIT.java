package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.servers.PostgresDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Locks as an operator has to do with them. */
final class LocksIT {
    private static final String BLOCKED =
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0)";

    private static final PostgresDatabase POSTGRES = PostgresDatabase.create();

    @TempDir
    private Path folder;

    @Test
    void a_provisioning_that_a_signal_stops_is_gone_on_with_or_begun_anew() throws Exception {
        execute("CREATE SCHEMA spream", """
                CREATE TABLE spream.hier_lock_buckets (
                    level smallint NOT NULL, bucket integer NOT NULL, PRIMARY KEY (level, bucket))""");
        try (Connection inTheWay = POSTGRES.source().getConnection();
                Statement statement = inTheWay.createStatement();
                SpreamProcess provision =
                        spream("provision", "--strategy", "rows", "--buckets", "3000000", "--chunk", "5000")) {
            inTheWay.setAutoCommit(false);
            statement.execute("INSERT INTO spream.hier_lock_buckets (level, bucket) VALUES (0, 70000)");
            awaitBlocked(provision);
            provision.terminate();
            inTheWay.rollback();
            assertThat(provision.exitCode()).isEqualTo(1);
            assertThat(provision.err())
                    .last()
                    .asString()
                    .matches(
                            "provision: stopped by a signal with [0-9,]+ of 9,000,000 buckets; the next run continues there");
        }
        assertThat(check(1))
                .anyMatch(line ->
                        line.matches("wrong: [0-9]+ of 9000000 buckets were created; continue: \\./spream locks.*"))
                .endsWith("check: 1 problem");

        assertThat(run(1, "provision", "--strategy", "rows", "--buckets", "2000"))
                .last()
                .asString()
                .contains("are rows, 3 levels of 3000000 buckets by sha256", "requests rows, 3 levels of 2000 buckets");
        assertThat(run(2, "provision", "--strategy", "rows", "--buckets", "99999999999"))
                .containsExactly(
                        "spream locks provision: buckets is 99999999999, must be 1 to 2147483648 for row locks");
        assertThat(run(0, "provision", "--buckets", "2000", "--recreate", "--yes"))
                .startsWith("provision: removed the existing buckets")
                .last()
                .asString()
                .startsWith("provision: rows, 3 levels of 2000 buckets by sha256; 6,000 buckets exist, 6,000 of them"
                        + " created now");
        assertThat(check(0)).containsExactly("check: locks can be taken");
    }

    @Test
    void a_check_fails_where_there_is_nothing_and_says_what_makes_it() throws Exception {
        List<String> said = run(1, "check", "--schema", "none_yet");
        assertThat(said)
                .hasSize(2)
                .first()
                .asString()
                .startsWith("wrong: schema 'none_yet' has no tables of hierarchical locks; create them: ./spream");
        String command = said.getFirst().replaceAll(".*\\./spream locks (.*)\\. If they should exist.*", "$1");
        run(0, command.split(" "));
        assertThat(run(0, "check", "--schema", "none_yet")).containsExactly("check: locks can be taken");
    }

    @Test
    void a_file_configures_the_locks_and_missing_buckets_are_found_and_repaired() throws Exception {
        Path file = Files.writeString(folder.resolve("locks.properties"), """
                locks = jdbc
                locks.jdbc.url = %s
                locks.jdbc.strategy = rows
                locks.jdbc.buckets = 3000
                locks.jdbc.schema = my_locks
                """.formatted(url()));
        execute(0, new StringWriter(), "locks", "provision", "--config", file.toString(), "--levels", "2");
        execute("DELETE FROM my_locks.hier_lock_buckets WHERE level = 1 AND bucket IN (5, 6, 2000)");
        StringWriter out = new StringWriter();
        execute(1, out, "locks", "check", "--config", file.toString());
        assertThat(out.toString().lines())
                .contains(
                        "recorded: rows, 2 levels of 3000 buckets by sha256",
                        "level 0: 3,000 buckets, none missing",
                        "level 1: 2,997 buckets, 3 missing: 5 to 6, 2000");
        assertThat(execute(0, new StringWriter(), "locks", "provision", "--config", file.toString()))
                .last()
                .asString()
                .contains("6,000 buckets exist, 3 of them created now");
    }

    private static void awaitBlocked(Statement statement, SpreamProcess process) throws SQLException {
        while (true) {
            try (ResultSet row = statement.executeQuery(BLOCKED)) {
                row.next();
                if (row.getBoolean(1)) {
                    return;
                }
            }
            assertThat(process.isAlive()).as("%s", process.err()).isTrue();
        }
    }

    private static void awaitBlocked(SpreamProcess process) throws SQLException {
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement()) {
            awaitBlocked(statement, process);
        }
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static List<String> check(int exitCode) {
        return run(exitCode, "check");
    }

    /**
     * Runs the command in this process, as a process of its own starts too slowly; returns the lines of standard
     * error.
     */
    private static List<String> run(int exitCode, String... arguments) {
        return execute(exitCode, new StringWriter(), withUrl(arguments));
    }

    private static List<String> execute(int exitCode, StringWriter out, String... arguments) {
        StringWriter err = new StringWriter();
        CommandLine command = Main.commandLine();
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(out, true));
        assertThat(command.execute(arguments)).as("%s", err).isEqualTo(exitCode);
        return err.toString().lines().toList();
    }

    private static SpreamProcess spream(String... arguments) throws IOException {
        return SpreamProcess.spream(withUrl(arguments));
    }

    private static String[] withUrl(String... arguments) {
        List<String> all = new ArrayList<>(List.of("locks"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--url", url()));
        return all.toArray(String[]::new);
    }

    private static String url() {
        return POSTGRES.jdbcUrl();
    }
}

package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The corrections of a subscription in PostgreSQL between the runs of its readers, which are processes. */
final class SubscriptionIT {
    private static final List<String> TABLES =
            List.of("subscriptions", "partitions", "workers", "subscription_corrections");
    private static final String[] CONFIRMED = {"--yes", "--reason", "the operator's reason", "--actor", "ann@host"};

    private final SpannerServer server = SpannerServers.ours();
    private final DatabaseId database = server.createDatabase(
            Dialect.GOOGLE_STANDARD_SQL,
            List.of(
                    "CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR Items OPTIONS (retention_period = '1d')"));
    private final String url = PostgresDatabase.create().jdbcUrl();
    private final Instant created = Instant.now();

    @Test
    void a_subscription_is_corrected_between_runs() throws Exception {
        try (ItemWriter writer = new ItemWriter(server, database)) {
            String start = created.toString();
            refusesBesideAWorker(start);
            String end = movesTheEnd();
            completes(start, end);
            removesTheEnd();
            reads(start);
            writer.stop();
            addsAGap();
            beginsAnew(start);
            showsTheAudit(4);
        }
    }

    @Test
    @Tag("proof")
    void a_subscription_begins_anew_with_a_snapshot_and_without() throws Exception {
        try (ItemWriter writer = new ItemWriter(server, database)) {
            String start = created.toString();
            reads(start);
            writer.stop();
            beginsAnewWithASnapshot(start);
            showsTheAudit(3);
        }
    }

    private void refusesBesideAWorker(String start) throws Exception {
        try (SpreamProcess tail = tail("--start", start, "--worker", "alive")) {
            tail.awaitOut(50);
            List<String> before = rows("subscriptions", "subscription_corrections");
            for (List<String> correction : List.of(
                    List.of("move-end", "--to", "now"),
                    List.of("move-start", "--to", start),
                    List.of("add-gap", "--from", start, "--to", "now", "--all"),
                    List.of("begin-anew"))) {
                assertThat(refused(1, correction, CONFIRMED)).containsPattern("worker alive-\\w+ is registered until ");
                assertThat(refused(1, correction, "--dry-run"))
                        .containsPattern("worker alive-\\w+ is registered until ");
            }
            assertThat(rows("subscriptions", "subscription_corrections")).isEqualTo(before);
            tail.terminate();
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
        }
    }

    private String movesTheEnd() throws SQLException {
        List<String> before = rows(TABLES.toArray(String[]::new));
        List<String> correction = List.of("move-end", "--to", "now");
        CommandRun shown = subscription(0, correction, "--dry-run");
        assertThat(shown.out()).anyMatch(line -> line.matches("end +none +20.*Z"));
        assertThat(shown.err().getLast()).endsWith("; dry run, nothing was written");
        assertThat(rows(TABLES.toArray(String[]::new))).isEqualTo(before);
        assertThat(refused(2, correction)).contains("--dry-run", "--yes");
        assertThat(refused(2, correction, "--yes")).contains("--reason");
        assertThat(refused(1, List.of("move-end", "--to", created.plusMillis(1).toString()), CONFIRMED))
                .contains("before what was read already");

        CommandRun moved = subscription(0, correction, CONFIRMED);
        assertThat(moved.err().getLast())
                .matches("move-end: end moved from none to \\S+; by ann@host, because: the operator's reason");
        return JsonObject.of(spream("partitions", "--json").getFirst())
                .object("subscription")
                .orElseThrow()
                .string("end_timestamp")
                .orElseThrow();
    }

    private void completes(String start, String end) throws Exception {
        assertThat(subscription(0, List.of("move-end", "--to", end), CONFIRMED)
                        .err()
                        .getLast())
                .endsWith("the subscription is as requested; nothing was changed");
        assertThat(refusedTail("--start", start)).contains("spream subscription");
        try (SpreamProcess tail = tail("--start", start, "--end", end)) {
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            assertThat(tail.err().getLast()).endsWith("ended by the end timestamp");
        }
        assertThat(spream("verify").getLast()).startsWith("verify: proven; ").endsWith("the subscription is completed");
        assertThat(spream("cleanup", "--finished-before", "now").getLast()).startsWith("cleanup: removed ");
    }

    private void removesTheEnd() {
        CommandRun removed = subscription(0, List.of("move-end", "--none"), CONFIRMED);
        assertThat(removed.out()).anyMatch(line -> line.matches("completed +true +false"));
        assertThat(removed.err().getLast()).contains("partitions that finished at the former end are read on");
        assertThat(spream("verify").getLast()).startsWith("verify: proven; ").doesNotContain("completed");
    }

    private void addsAGap() {
        assertThat(refused(2, List.of("add-gap", "--from", "now", "--to", "+1h", "--all"), CONFIRMED))
                .contains("--to", "in the future");
        assertThat(refused(2, List.of("add-gap", "--from", "-1s", "--to", "now", "--partition", "x"), CONFIRMED))
                .contains("--partition x is not stored");
        assertThat(refused(1, List.of("add-gap", "--from", "-9d", "--to", "now", "--all"), CONFIRMED))
                .contains("outside of the subscription");
        CommandRun added =
                subscription(0, List.of("add-gap", "--from", created.toString(), "--to", "now", "--all"), CONFIRMED);
        assertThat(added.out()).anyMatch(line -> line.contains("-> RUNNING"));
        assertThat(spream("verify"))
                .anyMatch(line -> line.matches("accepted: partition \\S+ has a gap from \\S+ to \\S+: .*"))
                .last()
                .asString()
                .startsWith("verify: proven; ");
        assertThat(spream("partitions")).anyMatch(line -> line.matches(".* gap \\S+Z to \\S+Z"));
    }

    private void beginsAnew(String start) throws Exception {
        assertThat(refused(2, List.of("begin-anew", "--start", "+1d"), CONFIRMED))
                .contains("in the future");
        assertThat(refused(2, List.of("move-start", "--to", "-8d", "-d", database.getName()), CONFIRMED))
                .contains("before the stream's retention period");
        CommandRun begun = subscription(0, List.of("begin-anew"), CONFIRMED);
        assertThat(begun.err().getLast()).contains("are delivered again");
        assertThat(JsonObject.of(spream("partitions", "--all", "--json").getFirst())
                        .objects("partitions"))
                .singleElement()
                .satisfies(root -> assertThat(root.string("token")).contains("Parent0"));
        List<String> again = reads(start);
        assertThat(again).anyMatch(line -> id(line) == 0);
        assertThat(spream("verify").getLast()).startsWith("verify: proven; ").contains("0 accepted gaps");
    }

    private void beginsAnewWithASnapshot(String start) throws Exception {
        assertThat(refusedTail("--snapshot")).contains("began without a snapshot; nothing was changed");
        CommandRun shown = subscription(0, List.of("begin-anew", "--snapshot"), "--dry-run");
        assertThat(shown.out()).anyMatch(line -> line.matches("begins with +stream +snapshot"));
        assertThat(shown.err().getLast()).contains("stay in the sink: empty its tables first");

        subscription(0, List.of("begin-anew", "--snapshot", "-d", database.getName()), CONFIRMED);
        assertThat(readsWith("--snapshot")).allMatch(SubscriptionIT::isOfSnapshot);
        CommandRun again = subscription(0, List.of("begin-anew"), CONFIRMED);
        assertThat(again.err().getLast()).contains("begun anew with a snapshot");
        assertThat(readsWith()).as("as stored").allMatch(SubscriptionIT::isOfSnapshot);
        assertThat(spream("verify").getLast()).startsWith("verify: proven; ");

        subscription(0, List.of("begin-anew", "--no-snapshot", "--start", start), CONFIRMED);
        assertThat(readsWith("--start", start)).noneMatch(SubscriptionIT::isOfSnapshot);
    }

    private static boolean isOfSnapshot(String line) {
        return ChangeRecordJson.readDataChange(line).serverTransactionId().startsWith("snapshot:Items:");
    }

    private String refusedTail(String... more) {
        List<String> all = new ArrayList<>(tailArguments());
        all.addAll(List.of("--emulator-host", server.emulatorHost()));
        all.addAll(List.of(more));
        CommandRun tail = CommandRun.of(all.toArray(String[]::new));
        assertThat(tail.exitCode()).as("%s", tail).isEqualTo(1);
        return String.join("\n", tail.err());
    }

    private void showsTheAudit(int corrections) {
        List<String> lines = spream("subscription", "show");
        assertThat(lines.getFirst()).startsWith("Changes from " + created + " without end: low watermark ");
        assertThat(lines.subList(2, lines.size()))
                .hasSize(corrections)
                .allMatch(line -> line.contains("ann@host") && line.endsWith("the operator's reason"));
        assertThat(lines.getLast()).contains("begun anew");
        assertThat(JsonObject.of(spream("subscription", "show", "--json").getFirst())
                        .objects("corrections"))
                .hasSize(corrections);
    }

    private static long id(String line) {
        return ChangeRecordJson.readDataChange(line)
                .mods()
                .getFirst()
                .keys()
                .int64("Id")
                .orElseThrow();
    }

    /** Reads until the first changes arrive, and stops. */
    private List<String> reads(String start) throws Exception {
        return readsWith("--start", start);
    }

    private List<String> readsWith(String... options) throws Exception {
        try (SpreamProcess tail = tail(options)) {
            tail.awaitOut(50);
            tail.terminate();
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            return tail.out();
        }
    }

    private SpreamProcess tail(String... more) throws IOException {
        List<String> all = new ArrayList<>(tailArguments());
        all.addAll(List.of(more));
        return SpreamProcess.spreamOn(server.emulatorHost(), all.toArray(String[]::new));
    }

    private List<String> tailArguments() {
        return List.of(
                "tail",
                "-d",
                database.getName(),
                "-s",
                "Changes",
                "--lease-time",
                "2s",
                "--storage",
                "jdbc",
                "--jdbc-url",
                url);
    }

    private String refused(int exitCode, List<String> correction, String... more) {
        return String.join("\n", subscription(exitCode, correction, more).err());
    }

    private CommandRun subscription(int exitCode, List<String> correction, String... more) {
        List<String> all = new ArrayList<>(List.of("subscription"));
        all.addAll(correction);
        all.addAll(List.of("--emulator-host", server.emulatorHost(), "--jdbc-url", url));
        all.addAll(List.of(more));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s", run).isEqualTo(exitCode);
        return run;
    }

    private List<String> spream(String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--jdbc-url", url));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s", run).isZero();
        return run.out();
    }

    /** Returns all rows of these tables, as text. */
    private List<String> rows(String... tables) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String table : tables) {
                try (ResultSet row =
                        statement.executeQuery("SELECT t::text FROM spream.%s t ORDER BY t::text".formatted(table))) {
                    while (row.next()) {
                        rows.add(table + row.getString(1));
                    }
                }
            }
        }
        return rows;
    }
}

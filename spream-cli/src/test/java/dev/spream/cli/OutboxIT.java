package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.spream.core.record.JsonObject;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.servers.DeadNetwork;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An outbox as an operator has to do with it. */
@Timeout(120)
final class OutboxIT {
    private static final OutboxOwner ANN = OutboxOwner.of("ann");
    private static final Duration LEASE = Duration.ofMinutes(2);

    private static final PostgresDatabase POSTGRES = PostgresDatabase.create();
    private static JdbcOutbox outbox;
    private static JdbcOutboxStore store;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    @BeforeAll
    static void start() {
        outbox = JdbcOutbox.create(POSTGRES.source());
        store = JdbcOutboxStore.create(POSTGRES.source());
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    @BeforeEach
    void empty() throws Exception {
        execute("TRUNCATE spream.outbox_orders, spream.idempo_ledger, spream.outbox_orders_audit");
    }

    @Test
    void entries_are_counted_listed_and_shown_and_payloads_only_when_asked_for() throws Exception {
        enqueue("done", "refused", "unknown", "new\u001b[31m");
        settleClaims();

        run(0, "stats");
        assertThat(out.toString().lines())
                .contains("pending        1", "succeeded      1", "aborted        1", "failed         1")
                .anyMatch(line -> line.matches("due +1, the oldest for [0-9.]+s"))
                .contains("parked         1, of which 1 may have reached the receiver");

        assertThat(run(0, "list", "--limit", "2"))
                .containsExactly("outbox: 2 shown; there may be more: --after " + id("refused"));
        assertThat(run(0, "list", "--parked")).containsExactly("outbox: 1 shown");
        assertThat(out.toString())
                .contains("unknown", "waits for an operator", "OUTCOME_UNKNOWN")
                .doesNotContain("secret");
        run(0, "list", "--status", "pending");
        assertThat(out.toString()).contains("new\\u001b[31m").doesNotContain("\u001b");

        run(0, "show", "--key", "unknown");
        assertThat(out.toString())
                .contains("parked: it waits for an operator's decision; it may have reached the receiver")
                .contains("OUTCOME_UNKNOWN: no answer")
                .contains("generation 1 in progress")
                .doesNotContain("secret");
        run(0, "show", id("unknown"), "--payload", "--json");
        assertThat(JsonObject.of(out.toString()).object("payload").orElseThrow().string("secret"))
                .contains("unknown");
        run(0, "show", id("done"), "--payload");
        assertThat(out.toString()).contains("{\"answer\":1}");
        assertThat(run(1, "show", "4711"))
                .last()
                .asString()
                .endsWith("there is no entry 4711 in the outbox, the ledger or the audit");
    }

    @Test
    void changes_of_an_operator_are_in_the_audit() throws Exception {
        enqueue("done", "refused", "unknown", "new");
        settleClaims();
        Path answer = Files.writeString(folder.resolve("answer.json"), "{\"order\": 7}");

        assertThat(run(
                        0,
                        "settle",
                        id("unknown"),
                        "--succeeded",
                        "--response",
                        answer.toString(),
                        "--why",
                        "asked bob"))
                .containsExactly("settle %s: succeeded, generation 1".formatted(id("unknown")), "settle: 1 changed");
        run(0, "show", id("unknown"), "--payload");
        assertThat(out.toString())
                .contains("settle by ann: failed -> succeeded, generation 1; asked bob")
                .contains("\"order\"");

        assertThat(run(0, "requeue", "--all", "--status", "aborted", "--why", "fixed", "--yes"))
                .last()
                .isEqualTo("requeue: 1 changed");
        run(0, "show", id("refused"), "--json");
        JsonObject refused = JsonObject.of(out.toString());
        assertThat(refused.int64("generation")).hasValue(2);
        assertThat(refused.objects("audit"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.string("outcome")).contains("aborted -> pending, generation 2"));

        assertThat(run(1, "requeue", id("done"), "4711", "--why", "no"))
                .containsExactly(
                        "skipped %s: it succeeded".formatted(id("done")),
                        "skipped 4711: there is no such entry",
                        "requeue: 0 changed, 2 skipped");
        assertThat(run(0, "abort", "--key", "new", "--why", "not wanted"))
                .last()
                .isEqualTo("abort: 1 changed");
        assertThat(run(0, "settle", id("refused"), "--failed", "REJECTED", "--http-status", "409", "--why", "told so"))
                .last()
                .isEqualTo("settle: 1 changed");
        assertThat(run(0, "release-expired")).containsExactly("release-expired: 0 released");
    }

    @Test
    void an_answer_that_cannot_be_read_is_said_in_words_and_settles_nothing() throws Exception {
        enqueue("a");
        Path broken = Files.write(folder.resolve("broken.json"), new byte[] {'"', (byte) 0xff, '"'});
        Path text = Files.writeString(folder.resolve("answer.txt"), "no JSON");

        assertThat(settleWith(folder.resolve("missing.json").toString()))
                .contains("missing.json' does not exist; nothing was changed");
        assertThat(settleWith(folder.toString())).contains("' is a folder; nothing was changed");
        assertThat(settleWith(broken.toString())).contains("broken.json' is not UTF-8; nothing was changed");
        assertThat(settleWith(text.toString())).contains("answer.txt' is not JSON; nothing was changed");
        assertThat(settleWith()).contains("Expected parameter for option '--response' but found '--why'");
        run(0, "list", "--status", "pending");
        assertThat(out.toString()).contains(id("a"));
    }

    private String settleWith(String... file) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("settle", id("a"), "--succeeded", "--response"));
        arguments.addAll(List.of(file));
        arguments.addAll(List.of("--why", "asked bob"));
        return run(2, arguments.toArray(String[]::new)).getFirst();
    }

    @Test
    void old_settled_entries_are_removed_in_chunks() throws Exception {
        enqueue("a", "b", "c", "d", "open");
        for (OutboxClaim claim : store.claim(ANN, "", 4, LEASE).claims()) {
            store.settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded())));
        }
        assertThat(run(0, "purge", "--older-than", "1h")).containsExactly("purge: removed 0 entries");
        assertThat(run(0, "purge", "--older-than", "0s", "--chunk", "3", "--ledger-older-than", "0s"))
                .containsExactly("purge: removed 4 entries, removed 4 requests of the ledger");
        assertThat(run(0, "list")).containsExactly("outbox: 1 shown");
    }

    @Test
    void the_result_of_a_purged_entry_is_shown_by_its_key_and_by_its_id() throws Exception {
        enqueue("done", "refused", "unknown");
        settleClaims();
        String id = id("unknown");
        run(0, "abort", id, "--why", "no longer needed");
        run(0, "list");
        assertThat(out.toString()).containsPattern("aborted .* ABORTED_BY_HAND +unknown");
        run(0, "purge", "--older-than", "0s");

        run(0, "show", "--key", "done");
        assertThat(out.toString())
                .contains("not in the outbox, or purged", "generation 1 succeeded, HTTP 200")
                .doesNotContain("answer");
        run(0, "show", "--key", "done", "--payload", "--json");
        JsonObject ledger = JsonObject.of(out.toString()).object("ledger").orElseThrow();
        assertThat(ledger.string("status")).contains("succeeded");
        assertThat(ledger.object("response").orElseThrow().int64("answer")).hasValue(1);
        run(0, "show", id);
        assertThat(out.toString())
                .contains("generation 1 failed, HTTP", "ABORTED_BY_HAND")
                .contains("abort by ann", "no longer needed");
        assertThat(run(1, "show", "--key", "never"))
                .last()
                .asString()
                .endsWith("there is no entry with the key never in the outbox, the ledger or the audit");
    }

    @Test
    void an_error_is_listed_only_while_it_says_why_an_entry_is_where_it_is() throws Exception {
        enqueue("late");
        OutboxClaim first = store.claim(ANN, "", 1, LEASE).claims().getFirst();
        store.settle(ANN, List.of(new Settlement.Parked(first.ref(), ReasonCode.TIMEOUT, "too late", true)));
        run(0, "list");
        assertThat(out.toString()).contains("parked", "TIMEOUT");
        run(0, "requeue", id("late"), "--why", "look again");
        run(0, "list");
        assertThat(out.toString()).contains("pending").doesNotContain("TIMEOUT");
        OutboxClaim second = store.claim(ANN, "", 1, LEASE).claims().getFirst();
        store.settle(ANN, List.of(new Settlement.Succeeded(second.ref(), LedgerResult.succeeded())));
        run(0, "list");
        assertThat(out.toString()).contains("succeeded").doesNotContain("TIMEOUT");
    }

    @Test
    void an_ambiguous_command_is_refused_and_changes_nothing() {
        assertUsage("entries are missing", "requeue");
        assertUsage("--all needs a filter", "requeue", "--all", "--yes");
        assertUsage("add --all", "requeue", "7", "--parked");
        assertUsage("and add --yes", "abort", "--all", "--status", "pending");
        assertUsage("--why TEXT", "abort", "7");
        assertUsage("the outcome is missing", "settle", "7", "--why", "x");
        assertUsage("the outcome is missing", "settle", "7", "--succeeded", "--failed", "REJECTED", "--why", "x");
        assertUsage("--why TEXT", "settle", "7", "--succeeded");
        assertUsage("reason code 'nope' must be", "settle", "7", "--failed", "nope");
        assertUsage("httpStatus is 99", "settle", "7", "--succeeded", "--http-status", "99", "--why", "x");
        assertUsage("the entry is missing", "show", "7", "8");
        String tooLong = "99999999999999999999";
        assertUsage("'%s' is not an id: 1 to 9223372036854775807".formatted(tooLong), "show", tooLong);
        assertUsage("'%s' is not an id: 1 to 9223372036854775807".formatted(tooLong), "settle", tooLong, "--succeeded");
        assertUsage("'%s' is not an id: 1 to 9223372036854775807".formatted(tooLong), "requeue", "7", tooLong);
        assertUsage("'0' is not an id: 1 to 9223372036854775807", "abort", "0", "--why", "x");
        assertUsage("'%s' is not an id: 1 to 9223372036854775807, or 0".formatted(tooLong), "list", "--after", tooLong);
        assertUsage("unknown argument 'seven'", "requeue", "7", "seven", "--why", "x");
        assertUsage("--limit is 0", "list", "--limit", "0");
        assertUsage("remove the other filters", "list", "--key", "x", "--parked");
        assertUsage("--older-than", "purge");
        assertUsage("--chunk is 0", "purge", "--older-than", "1d", "--chunk", "0");
        assertUsage(
                "outbox.enabled is 'false' (default)", "run", "--sender=http", "--sender.http.url=http://localhost/");
        assertUsage("sender is not configured", "run", "--outbox.enabled=true");
        assertUsage(
                "user and password belong in sender.http.authorization",
                "run",
                "--outbox.enabled=true",
                "--sender=http",
                "--sender.http.url=http://u:p@localhost/x");
    }

    private void assertUsage(String message, String... arguments) {
        assertThat(String.join("\n", run(2, arguments))).contains(message);
    }

    @Test
    void a_worker_sends_answers_health_and_drains_when_it_is_told_to_stop() throws Exception {
        CountDownLatch received = new CountDownLatch(2);
        HttpServer broker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        broker.createContext("/orders", exchange -> {
            try (exchange) {
                byte[] answer = "{\"ok\":true}".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
            received.countDown();
        });
        broker.start();
        enqueue("one", "two");
        try (SpreamProcess worker = SpreamProcess.spream(
                "outbox",
                "run",
                "--url",
                url(),
                "--outbox.enabled=true",
                "--http=0",
                "--sender=http",
                "--sender.http.url=http://127.0.0.1:%d/orders"
                        .formatted(broker.getAddress().getPort()))) {
            assertThat(received.await(60, TimeUnit.SECONDS))
                    .as("%s", worker.err())
                    .isTrue();
            URI base = worker.awaitHttp();
            try (HttpClient client = HttpClient.newHttpClient()) {
                assertThat(client.send(
                                        HttpRequest.newBuilder(base.resolve("ready"))
                                                .build(),
                                        BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
                assertThat(client.send(
                                        HttpRequest.newBuilder(base.resolve("metrics"))
                                                .build(),
                                        BodyHandlers.ofString())
                                .body())
                        .contains("outbox_claimed_total");
            }
            worker.terminate();
            assertThat(worker.exitCode()).isZero();
            assertThat(worker.err())
                    .last()
                    .asString()
                    .matches(
                            "\\S+ outbox: 2 succeeded, 0 attempts failed, 0 parked, 0 aborted in .* s; ended by a signal");
        } finally {
            broker.stop(0);
        }
        run(0, "list", "--status", "succeeded");
        assertThat(out.toString()).contains("one", "two");
    }

    @Test
    void a_signal_ends_a_worker_whose_database_cannot_be_reached_in_time() throws Exception {
        try (DeadNetwork network = DeadNetwork.before("127.0.0.1:" + POSTGRES.port());
                SpreamProcess worker = SpreamProcess.spream(
                        "outbox",
                        "run",
                        "--url",
                        "jdbc:postgresql://%s/%s?user=postgres".formatted(network.address(), POSTGRES.name()),
                        "--outbox.enabled=true",
                        "--shutdown-timeout=9s",
                        "--sender=http",
                        "--sender.http.url=http://127.0.0.1:1/")) {
            awaitErr(worker, " runs");
            network.close();
            awaitErr(worker, "outbox store: ");
            worker.terminate();
            assertThat(worker.exitCode()).as("%s", worker.err()).isZero();
            assertThat(worker.err())
                    .anyMatch(line -> line.contains("its segments stay held, until their leases expire, within 2 min"));
        }
    }

    private static void awaitErr(SpreamProcess worker, String part) throws InterruptedException {
        int lines = 1;
        while (worker.awaitErr(lines).stream().noneMatch(line -> line.contains(part))) {
            lines++;
        }
    }

    @Test
    void missing_tables_are_not_created_by_commands_that_read() throws Exception {
        for (String command : List.of("stats", "list", "release-expired")) {
            assertThat(run(1, command, "--table", "outbox_ordres"))
                    .last()
                    .asString()
                    .contains("schema 'spream' has no tables of the outbox 'outbox_ordres'")
                    .contains("as a worker or service that starts does", "outbox.jdbc.migrate=true");
        }
        assertThat(run(1, "stats", "--schema", "elsewhere"))
                .last()
                .asString()
                .contains("'spream' has idempo_ledger and outbox_orders");
        assertThat(tables()).noneMatch(name -> name.startsWith("elsewhere.") || name.contains("ordres"));
        try {
            run(0, "stats", "--schema", "elsewhere", "--outbox.jdbc.migrate=true");
            assertThat(tables()).contains("elsewhere.outbox_orders");
        } finally {
            execute("DROP SCHEMA IF EXISTS elsewhere CASCADE");
        }
    }

    private static List<String> tables() throws Exception {
        List<String> names = new ArrayList<>();
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT schemaname || '.' || tablename FROM pg_tables")) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    private static void execute(String sql) throws Exception {
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void enqueue(String... keys) throws Exception {
        try (Connection connection = POSTGRES.source().getConnection()) {
            connection.setAutoCommit(false);
            for (String key : keys) {
                EnqueueResult result = outbox.enqueue(
                        connection,
                        OutboxMessage.of(
                                key,
                                "{\"secret\":\"%s\"}"
                                        .formatted(key.substring(0, 1).equals("n") ? "new" : key)));
                assertThat(result).isInstanceOf(EnqueueResult.Enqueued.class);
            }
            connection.commit();
        }
    }

    /** Settles the first three entries: one succeeds, one is refused, and one has an unknown outcome. */
    private static void settleClaims() {
        List<OutboxClaim> claims = store.claim(ANN, "", 3, LEASE).claims();
        assertThat(store.settle(
                        ANN,
                        List.of(
                                new Settlement.Succeeded(claims.get(0).ref(), LedgerResult.succeeded("{\"answer\":1}")),
                                new Settlement.Aborted(
                                        claims.get(1).ref(), LedgerResult.failed(ReasonCode.REJECTED), "no"),
                                new Settlement.Parked(
                                        claims.get(2).ref(), ReasonCode.OUTCOME_UNKNOWN, "no answer", true))))
                .isEmpty();
    }

    private String id(String key) {
        run(0, "list", "--key", key, "--json");
        return String.valueOf(JsonObject.of(out.toString()).int64("id").orElseThrow());
    }

    /** Runs the command in this process and returns the lines of standard error; {@code out} gets standard output. */
    private List<String> run(int exitCode, String... arguments) {
        List<String> all = new ArrayList<>(List.of("outbox"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--url", url()));
        if (List.of("requeue", "settle", "abort", "purge", "release-expired").contains(arguments[0])) {
            all.addAll(List.of("--actor", "ann"));
        }
        StringWriter err = new StringWriter();
        out.getBuffer().setLength(0);
        CommandLine command = Main.commandLine();
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(out, true));
        assertThat(command.execute(all.toArray(String[]::new))).as("%s", err).isEqualTo(exitCode);
        return err.toString().lines().toList();
    }

    private static String url() {
        return POSTGRES.jdbcUrl();
    }
}

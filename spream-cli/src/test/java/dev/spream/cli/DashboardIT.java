package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.JsonObject;
import dev.spream.servers.PostgresDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard in a process of its own, over a database with something for every panel. */
@Timeout(240)
final class DashboardIT {
    private static final String TOKEN = "the-token-of-the-tests";

    private DashboardData data;
    private RefusingWebhook sink;
    private PageClient page = new PageClient(URI.create("http://127.0.0.1/"), "");

    @TempDir
    private Path folder;

    @BeforeEach
    void open() throws Exception {
        data = new DashboardData();
        sink = new RefusingWebhook();
    }

    @AfterEach
    void close() throws Exception {
        page.close();
        sink.close();
        data.close();
    }

    @Test
    void every_panel_shows_its_state_without_keys_and_contents() throws Exception {
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), ""))) {
            JsonObject overview = JsonObject.of(page.get("api/page").body());
            assertThat(overview.string("kind")).contains("dashboard");
            assertThat(overview.get("commands")).isEqualTo(false);
            assertThat(overview.objects("panels"))
                    .extracting(panel -> panel.string("name").orElseThrow())
                    .containsExactly("subscriptions", "dead-letters", "outbox", "projections", "locks");

            JsonObject subscription = page.await(
                    "api/subscription", shown -> !shown.objects("partitions").isEmpty());
            assertThat(subscription.string("stream")).contains("OrdersStream");
            assertThat(subscription.objects("partitions")).hasSize(5);
            assertThat(subscription.string("low_watermark")).isPresent();
            assertThat(subscription.objects("workers")).hasSize(1);
            JsonObject lag =
                    page.await("api/lag", shown -> !shown.objects("partitions").isEmpty());
            assertThat(lag.objects("partitions"))
                    .extracting(partition -> partition.string("token").orElseThrow())
                    .containsExactly("a3", "a2", "b1");

            JsonObject letters = page.state("dead-letters");
            assertThat(letters.int64("open")).hasValue(3);
            assertThat(letters.int64("parked_keys")).hasValue(1);
            assertThat(letters.objects("letters"))
                    .extracting(letter -> letter.string("reason").orElseThrow())
                    .containsExactly("failed", "behind_parked", "parked");
            assertThat(letters.object("causes").orElseThrow().members()).hasSize(2);

            JsonObject outbox = page.state("outbox");
            JsonObject entries =
                    outbox.object("stats").orElseThrow().object("entries").orElseThrow();
            assertThat(entries.int64("sending")).hasValue(2);
            assertThat(entries.int64("succeeded")).hasValue(1);
            assertThat(outbox.objects("parked")).hasSize(2);
            assertThat(outbox.objects("aborted"))
                    .singleElement()
                    .satisfies(
                            entry -> assertThat(entry.string("last_error_code")).contains("REJECTED"));

            List<JsonObject> projections = page.state("projections").objects("projections");
            assertThat(projections)
                    .extracting(projection -> "%s %s"
                            .formatted(
                                    projection.string("name").orElseThrow(),
                                    projection.string("status").orElseThrow()))
                    .containsExactly("entries running", "search failed");
            assertThat(projections.getFirst().objects("segments")).hasSize(4);
            assertThat(projections.getLast().string("last_error")).contains("the index is full");

            JsonObject locks = page.await(
                            "api/locks",
                            shown -> shown.object("state")
                                    .filter(state -> !state.objects("waits").isEmpty()
                                            && state.toString().contains("nightly import"))
                                    .isPresent())
                    .object("state")
                    .orElseThrow();
            assertThat(locks.toString()).contains("u1");
            for (String path : List.of("subscription", "lag", "dead-letters", "outbox", "projections")) {
                assertThat(page.get("api/" + path).body()).as(path).doesNotContain(DashboardData.SECRET);
            }
            dashboard.terminate();
            assertThat(dashboard.exitCode()).as("%s", dashboard.err()).isZero();
            assertThat(dashboard.err()).last().asString().contains("ended by a signal");
        }
    }

    @Test
    void all_subscriptions_of_the_storage_are_listed_and_each_can_be_chosen() throws Exception {
        data.addIdleSubscription("invoices");
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), ""))) {
            assertThat(dashboard).isNotNull();
            assertThat(JsonObject.of(page.get("api/page").body()).string("chosen"))
                    .contains("orders");
            JsonObject list = page.state("subscriptions");
            assertThat(list.string("configured")).contains("orders");
            List<JsonObject> subscriptions = list.objects("subscriptions");
            assertThat(subscriptions)
                    .extracting(one -> one.string("name").orElseThrow())
                    .containsExactly("invoices", "orders");
            JsonObject invoices = subscriptions.getFirst();
            assertThat(invoices.int64("workers")).hasValue(0);
            assertThat(invoices.int64("unfinished")).hasValue(1);
            assertThat(invoices.int64("owned")).hasValue(0);
            assertThat(Double.parseDouble(String.valueOf(invoices.get("lag_seconds"))))
                    .isGreaterThan(3_999);
            JsonObject orders = subscriptions.getLast();
            assertThat(orders.string("stream")).contains("OrdersStream");
            assertThat(orders.int64("workers")).hasValue(1);
            assertThat(orders.int64("owned")).hasValue(3);

            assertThat(partitions("api/subscription?name=invoices")).containsExactly("Parent0");
            assertThat(partitions("api/subscription?name=orders")).hasSize(5);
            assertThat(partitions("api/subscription")).hasSize(5);
            page.await(
                    "api/lag?name=invoices",
                    shown -> shown.objects("partitions").size() == 1);
            assertThat(page.read("api/subscription?name=other").statusCode()).isEqualTo(404);

            data.addIdleSubscription("returns");
            page.await(
                    "api/subscriptions",
                    shown -> shown.object("state")
                                    .orElseThrow()
                                    .objects("subscriptions")
                                    .size()
                            == 3);
            page.awaitFound("api/subscription?name=returns"); // the names may be two seconds old
            page.await(
                    "api/subscription?name=returns",
                    shown -> shown.objects("partitions").size() == 1);
        }
    }

    @Test
    void a_dashboard_without_a_subscription_lists_those_of_the_storage() throws Exception {
        data.addIdleSubscription("invoices");
        try (SpreamProcess dashboard = dashboard("storage=jdbc\nstorage.jdbc.url=%s\nhttp=0\n"
                .formatted(data.database().jdbcUrl()))) {
            assertThat(dashboard).isNotNull();
            assertThat(JsonObject.of(page.get("api/page").body()).string("chosen"))
                    .isEmpty();
            assertThat(page.state("subscriptions").objects("subscriptions")).hasSize(2);
            assertThat(page.read("api/subscription").statusCode()).isEqualTo(404);
            assertThat(partitions("api/subscription?name=orders")).hasSize(5);
        }
    }

    private List<String> partitions(String path) throws Exception {
        return page.await(path, shown -> !shown.objects("partitions").isEmpty()).objects("partitions").stream()
                .map(partition -> partition.string("token").orElseThrow())
                .toList();
    }

    @Test
    void dead_letters_are_replayed_discarded_and_released_with_the_token() throws Exception {
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), TOKEN))) {
            List<JsonObject> letters = page.state("dead-letters").objects("letters");
            String failed = letters.get(0).string("identity").orElseThrow();
            String behind = letters.get(1).string("identity").orElseThrow();
            String parked = letters.get(2).string("identity").orElseThrow();

            assertThat(page.post("dead-letters/replay", "{\"identities\":[\"%s\"]}".formatted(failed), "wrong")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(sink.taken(DashboardData.FAILED)).isEmpty();

            JsonObject one = page.done("dead-letters/replay", "{\"identities\":[\"%s\"]}".formatted(failed));
            assertThat(one.string("text").orElseThrow()).startsWith("replayed 1, refused 0");
            assertThat(sink.taken(DashboardData.FAILED)).containsExactly(3L);

            sink.refuse(DashboardData.PARKED);
            JsonObject refused = page.answered("dead-letters/replay-key", "{\"identity\":\"%s\"}".formatted(behind));
            assertThat(refused.get("done")).isEqualTo(false);
            assertThat(refused.string("text").orElseThrow())
                    .contains("refused 1")
                    .doesNotContain(DashboardData.SECRET);
            assertThat(page.state("dead-letters").int64("open")).hasValue(2);

            assertThat(page.answered("dead-letters/release", "{}").get("done")).isEqualTo(false);
            sink.relent();
            JsonObject discarded = page.done("dead-letters/discard", "{\"identities\":[\"%s\"]}".formatted(parked));
            assertThat(discarded.string("text").orElseThrow()).startsWith("discarded 1 of 1: [%s]; ".formatted(parked));
            JsonObject key = page.done("dead-letters/replay-key", "{\"identity\":\"%s\"}".formatted(behind));
            assertThat(key.string("text").orElseThrow()).contains("replayed 1").contains("released 1 key");
            assertThat(sink.taken(DashboardData.PARKED)).containsExactly(2L);
            JsonObject after = page.state("dead-letters");
            assertThat(after.int64("open")).hasValue(0);
            assertThat(after.int64("parked_keys")).hasValue(0);
            assertThat(after.object("replay").orElseThrow().string("result")).isPresent();

            assertThat(page.answered("dead-letters/discard", "{\"identities\":[\"%s\"]}".formatted(parked))
                            .get("done"))
                    .isEqualTo(false);
            assertThat(dashboard.err())
                    .anyMatch(line -> line.contains("dead-letters discard by ann@127.0.0.1: discarded 1"));
        }
    }

    @Test
    void a_replay_that_hangs_is_stopped_and_its_letters_stay_open() throws Exception {
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), TOKEN))) {
            assertThat(dashboard).isNotNull();
            assertThat(page.answered("dead-letters/stop", "{}").string("text").orElseThrow())
                    .startsWith("no replay runs");
            String failed = page.state("dead-letters")
                    .objects("letters")
                    .getFirst()
                    .string("identity")
                    .orElseThrow();
            String letter = "{\"identities\":[\"%s\"]}".formatted(failed);
            sink.hold();
            CompletableFuture<HttpResponse<String>> started = page.client()
                    .sendAsync(page.command("dead-letters/replay", letter, TOKEN), BodyHandlers.ofString());
            sink.awaitHeld();
            page.await(
                    "api/dead-letters",
                    shown -> Boolean.TRUE.equals(replay(shown).get("running")));
            assertThat(page.answered("dead-letters/replay", letter)
                            .string("text")
                            .orElseThrow())
                    .contains("another replay runs");

            assertThat(page.done("dead-letters/stop", "{}").string("text").orElseThrow())
                    .startsWith("the replay was stopped after 0 were replayed");
            assertThat(JsonObject.of(started.get().body()).get("done")).isEqualTo(false);
            JsonObject after = JsonObject.of(page.get("api/dead-letters").body());
            assertThat(replay(after).get("running")).isEqualTo(false);
            assertThat(after.object("state").orElseThrow().int64("open")).hasValue(3);

            sink.letGo();
            page.done("dead-letters/replay", letter);
            assertThat(page.state("dead-letters").int64("open")).hasValue(2);
        }
    }

    private static JsonObject replay(JsonObject shown) {
        return shown.object("state").orElseThrow().object("replay").orElseThrow();
    }

    @Test
    void a_sink_of_one_process_is_released_when_a_replay_ends() throws Exception {
        Path changes = folder.resolve("changes.jsonl");
        String config = data.config(sink.url(), TOKEN)
                .replaceAll("sink=webhook\\nsink.webhook.url=.*", "sink=jsonl\nsink.jsonl.path=" + changes);
        try (SpreamProcess dashboard = dashboard(config)) {
            assertThat(dashboard).isNotNull();
            List<JsonObject> letters = page.state("dead-letters").objects("letters");
            page.done(
                    "dead-letters/replay",
                    "{\"identities\":[\"%s\"]}"
                            .formatted(letters.get(0).string("identity").orElseThrow()));
            CommandRun other = CommandRun.of(
                    "deadletters",
                    "replay",
                    "--config",
                    folder.resolve("dashboard.properties").toString(),
                    letters.get(2).string("identity").orElseThrow());
            assertThat(other.exitCode()).as("%s", other.err()).isZero();
            page.done(
                    "dead-letters/replay",
                    "{\"identities\":[\"%s\"]}"
                            .formatted(letters.get(1).string("identity").orElseThrow()));
            assertThat(Files.readAllLines(changes)).hasSize(3);
        }
    }

    @Test
    void dead_letters_that_one_process_locks_are_nothing_to_show() {
        CommandRun run = CommandRun.of(
                "dashboard",
                "--http=0",
                "--dead-letters=jsonl",
                "--dead-letters.jsonl.path=" + folder.resolve("letters.jsonl"));
        assertThat(run.exitCode()).as("%s", run.err()).isEqualTo(2);
        assertThat(run.err().getLast()).contains("nothing to show", "add storage, outbox, projections or locks");
    }

    @Test
    void a_key_without_letters_is_released() throws Exception {
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), TOKEN))) {
            List<JsonObject> letters = page.state("dead-letters").objects("letters");
            assertThat(dashboard).isNotNull();
            page.done(
                    "dead-letters/discard",
                    "{\"identities\":[\"%s\",\"%s\"]}"
                            .formatted(
                                    letters.get(1).string("identity").orElseThrow(),
                                    letters.get(2).string("identity").orElseThrow()));
            assertThat(page.state("dead-letters").int64("parked_keys")).hasValue(1);
            assertThat(page.done("dead-letters/release", "{}").string("text").orElseThrow())
                    .startsWith("released 1 keys");
            assertThat(page.state("dead-letters").int64("parked_keys")).hasValue(0);
        }
    }

    @Test
    void entries_and_projections_are_changed_with_the_token() throws Exception {
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), TOKEN))) {
            assertThat(dashboard).isNotNull();
            long parked = page.state("outbox")
                    .objects("parked")
                    .getFirst()
                    .int64("id")
                    .orElseThrow();
            page.done("outbox/abort", "{\"id\":%d,\"reason\":\"lost\"}".formatted(parked));
            assertThat(page.state("outbox").objects("aborted")).hasSize(2);
            page.done("outbox/requeue", "{\"id\":%d,\"reason\":\"found\"}".formatted(parked));
            assertThat(page.state("outbox").objects("aborted")).hasSize(1);
            assertThat(page.answered("outbox/requeue", "{\"id\":999,\"reason\":\"x\"}")
                            .string("text"))
                    .contains("there is no entry 999; nothing was changed");

            String entries = "{\"projection\":\"entries\",\"reason\":\"deployment\"}";
            page.done("projections/pause", entries);
            assertThat(projection("entries").string("status")).contains("paused");
            assertThat(page.answered("projections/pause", entries).get("done")).isEqualTo(false);
            page.done("projections/resume", entries);
            assertThat(projection("entries").string("status")).contains("running");
            assertThat(page.done("projections/retry", entries).string("text").orElseThrow())
                    .startsWith("1 parked aggregates");
            assertThat(page.answered("projections/retry", "{\"projection\":\"none\",\"reason\":\"x\"}")
                            .get("done"))
                    .isEqualTo(false);
            assertThat(page.post("projections/pause", "{\"projection\":\"entries\"}", TOKEN)
                            .statusCode())
                    .isEqualTo(400);
            try (Connection connection = data.database().source().getConnection();
                    Statement statement = connection.createStatement();
                    var audit = statement.executeQuery(
                            "SELECT count(*) FROM spream.projection_audit WHERE actor = 'ann@127.0.0.1'")) {
                audit.next();
                assertThat(audit.getInt(1)).isEqualTo(3);
            }
        }
    }

    @Test
    void a_panel_without_tables_names_what_creates_them_and_the_others_are_shown() throws Exception {
        String empty = PostgresDatabase.create().jdbcUrl();
        String config = data.config(sink.url(), "")
                .replaceAll("(outbox|projections|locks)\\.jdbc\\.url=.*", "$1.jdbc.url=" + empty);
        try (SpreamProcess dashboard = dashboard(config)) {
            assertThat(dashboard).isNotNull();
            assertThat(page.state("dead-letters").int64("open")).hasValue(3);
            for (String panel : List.of("outbox", "projections", "locks")) {
                JsonObject shown = JsonObject.of(page.get("api/" + panel).body());
                assertThat(shown.has("state")).as(panel).isFalse();
                assertThat(shown.string("error").orElseThrow())
                        .as(panel)
                        .containsPattern(panel.equals("locks") ? "no tables of hierarchical locks" : "migrate");
            }
        }
    }

    @Test
    void a_panel_that_waits_for_its_database_delays_no_other() throws Exception {
        try (SpreamProcess dashboard = dashboard(data.config(sink.url(), ""));
                Connection blocking = data.database().source().getConnection();
                Statement statement = blocking.createStatement()) {
            assertThat(dashboard).isNotNull();
            page.state("outbox");
            blocking.setAutoCommit(false);
            statement.execute("LOCK TABLE spream.outbox_orders IN ACCESS EXCLUSIVE MODE");
            JsonObject shown =
                    page.await("api/outbox", answer -> answer.string("error").isPresent());
            assertThat(shown.object("state")).as("the last state").isPresent();
            assertThat(shown.string("read_age_seconds")).isPresent();
            assertThat(page.state("projections").objects("projections")).hasSize(2);
            blocking.rollback();
            page.await("api/outbox", answer -> answer.string("error").isEmpty());
        }
    }

    @Test
    void a_configuration_without_anything_to_show_is_refused() {
        CommandRun nothing = CommandRun.of("dashboard", "--http=0");
        assertThat(nothing.exitCode()).isEqualTo(2);
        assertThat(nothing.err().getLast()).contains("there is nothing to show");
    }

    @Test
    void a_short_token_is_refused() throws Exception {
        CommandRun run = CommandRun.of(
                "dashboard", "--config", file(data.config(sink.url(), "short")).toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(String.join("\n", run.err())).contains("http-token", "16").doesNotContain("short");
    }

    private SpreamProcess dashboard(String config) throws Exception {
        SpreamProcess started =
                SpreamProcess.spream("dashboard", "--config", file(config).toString());
        try {
            page.close();
            page = new PageClient(started.awaitHttp(), TOKEN);
            return started;
        } catch (Throwable t) {
            started.close();
            throw t;
        }
    }

    private Path file(String config) throws IOException {
        return Files.writeString(folder.resolve("dashboard.properties"), config);
    }

    private JsonObject projection(String name) throws Exception {
        return page.state("projections").objects("projections").stream()
                .filter(projection ->
                        projection.string("name").filter(name::equals).isPresent())
                .findFirst()
                .orElseThrow();
    }
}

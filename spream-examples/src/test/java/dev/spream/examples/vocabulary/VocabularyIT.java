package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.examples.fault.Await;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.VocabularyClient.Reply;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SubscriberServer;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole service over HTTP, on PostgreSQL and Lucene. */
@Timeout(300)
final class VocabularyIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String SPANNER = "projects/p/instances/i/databases/d";
    private static final Act ACT = new Act("on-call", "to try it");
    private static final int REBUILT = 40;
    private static final int ROUNDS = Integer.getInteger("vocabulary.rounds", 2);
    private static final Duration SAMPLED = Duration.ofMillis(200);
    private static final String WORD = """
            {"word": "水", "reading": "みず", "part_of_speech": "noun"}""";

    @TempDir
    private Path directory;

    private final VocabularyClient client = new VocabularyClient();
    private DataSource database;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void start() throws Exception {
        PostgresDatabase postgres = PostgresDatabase.create();
        database = postgres.source();
        String url = postgres.url();
        environment.putAll(Map.of(
                "DATABASE_URL",
                url,
                "EVENT_STORE_URL",
                url,
                "SEARCH_DIRECTORY",
                directory.resolve("search").toString(),
                "BATCH_FLUSH_INTERVAL",
                "50ms",
                "VOCABULARY_HTTP",
                "0",
                "MANAGEMENT_HTTP",
                "0"));
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
    }

    @Test
    void every_command_reaches_the_read_model_and_the_search_and_another_index_ends_the_program() throws Exception {
        try (VocabularyService service = VocabularyService.start(environment)) {
            URI uri = service.uri();
            commandEverything(uri);
            assertThat(client.get(uri, "/search?q=water&difficulty=beginner")
                            .json()
                            .get("total")
                            .getAsLong())
                    .isZero();
            assertThat(client.get(uri, "/search?q=water&category=travel")
                            .json()
                            .get("total")
                            .getAsLong())
                    .isEqualTo(1);
            judge();
            requireHealthAndMetrics(service.managementUri());
        }
        Map<String, String> astray = new HashMap<>(environment);
        astray.put("SEARCH_DIRECTORY", directory.resolve("empty").toString());
        try (VocabularyProgram program = new VocabularyProgram()) {
            assertThat(program.run(new String[0], astray)).isZero();
            assertThat(program.await()).isEqualTo(1);
        }
    }

    /** One command of each kind, and what becomes of them. Returns the id of the entry. */
    private String commandEverything(URI uri) throws Exception {
        Reply created = client.command(uri, "POST", "/entries", "create", WORD).expect(201);
        String entry = "/entries/" + created.text("entry_id");
        String item = client.command(
                        uri,
                        "POST",
                        entry + "/items",
                        "add",
                        "{\"version\": 1, \"definition\": \"water\", \"difficulty\": \"beginner\", \"categories\": [\"food\"]}")
                .expect(201)
                .text("item_id");
        client.command(
                        uri,
                        "PATCH",
                        entry + "/items/" + item,
                        "update",
                        "{\"version\": 2, \"difficulty\": \"advanced\", \"categories\": [\"travel\"], \"review_status\": \"approved\"}")
                .expect(200);
        client.command(
                        uri,
                        "POST",
                        entry + "/items/" + item + "/examples",
                        "example",
                        "{\"version\": 3, \"sentence\": \"水を飲む。\", \"translation\": \"To drink water.\"}")
                .expect(201);
        Reply generated = client.command(uri, "POST", entry + "/generated-items", "generate", """
                        {"version": 4, "items": [
                          {"definition": "liquid", "difficulty": "beginner", "examples": [
                            {"sentence": "a", "translation": "b"}, {"sentence": "c", "translation": "d"}]},
                          {"definition": "gone soon", "difficulty": "beginner"}]}""")
                .expect(201);
        String gone = generated.json().getAsJsonArray("item_ids").get(1).getAsString();
        client.command(uri, "DELETE", entry + "/items/" + gone + "?version=5", "delete", "")
                .expect(200);
        client.send(HttpRequest.newBuilder(URI.create(uri + "/contributors/u-1"))
                        .PUT(BodyPublishers.ofString("{\"name\": \"Mizu\"}")))
                .expect(200);

        JsonObject shown = client.await(
                        uri,
                        entry,
                        json -> json.getAsJsonObject().get("version").getAsLong() == 6)
                .json();
        assertThat(shown.get("item_count").getAsLong()).isEqualTo(2);
        assertThat(shown.get("total_examples").getAsLong()).isEqualTo(3);
        assertThat(shown.get("difficulty_distribution")).hasToString("{\"advanced\":1,\"beginner\":1}");
        assertThat(shown.get("category_distribution")).hasToString("{\"travel\":1}");
        List<String> shownItems = new ArrayList<>();
        shown.getAsJsonArray("items").forEach(each -> {
            JsonObject object = each.getAsJsonObject();
            shownItems.add("%s|%s|%s|%s|%d"
                    .formatted(
                            object.get("definition").getAsString(),
                            object.get("contributor_name").getAsString(),
                            object.get("review_status").getAsString(),
                            object.get("is_ai_generated").getAsBoolean(),
                            object.getAsJsonArray("examples").size()));
        });
        assertThat(shownItems).containsExactlyInAnyOrder("water|Mizu|approved|false|1", "liquid|AI|pending|true|2");
        client.await(uri, "/search?q=" + "water&difficulty=advanced", json -> total(json.getAsJsonObject()) == 1);
        client.await(uri, "/search?q=%E3%81%BF%E3%81%9A", json -> total(json.getAsJsonObject()) == 2);
        assertThat(total(client.get(uri, "/search?q=gone").json())).isZero();
        return created.text("entry_id");
    }

    private static long total(JsonObject answer) {
        return answer.get("total").getAsLong();
    }

    private void judge() throws Exception {
        ReadModelJudge.judge(database, ReadModelJudge.events(database));
    }

    @Test
    void a_command_says_what_is_wrong_with_it_and_one_that_comes_again_changes_nothing() throws Exception {
        try (VocabularyService service = VocabularyService.start(environment)) {
            URI uri = service.uri();
            String entry = "/entries/"
                    + client.command(uri, "POST", "/entries", "k", WORD)
                            .expect(201)
                            .text("entry_id");
            assertThat(client.command(uri, "POST", "/entries", "k", WORD)
                            .expect(201)
                            .version())
                    .isEqualTo(1);
            String add = "{\"version\": 1, \"definition\": \"%s\", \"difficulty\": \"beginner\"}";
            Reply first = client.command(uri, "POST", entry + "/items", "a", add.formatted("one"))
                    .expect(201);
            assertThat(client.command(uri, "POST", entry + "/items", "a", add.formatted("one")))
                    .isEqualTo(first);
            assertThat(client.command(uri, "POST", entry + "/items", "b", add.formatted("two"))
                            .expect(409)
                            .text("reason"))
                    .isEqualTo("VERSION_CONFLICT");
            assertThat(client.command(uri, "POST", entry + "/items", "a", add.formatted("three"))
                            .expect(409)
                            .text("reason"))
                    .isEqualTo("IDEMPOTENCY_CONFLICT");
            client.command(uri, "POST", entry + "/items", "c", "{}").expect(400);
            client.command(uri, "POST", "/entries/nobody/items", "d", add.formatted("x"))
                    .expect(404);
            client.command(uri, "PUT", entry, "e", "{}").expect(405);
            client.send(HttpRequest.newBuilder(URI.create(uri + "/entries")).POST(BodyPublishers.ofString(WORD)))
                    .expect(400);
            client.get(uri, "/search?colour=red").expect(400);
            client.get(uri, "/nothing").expect(404);
            client.get(uri, "/entries/a%00b").expect(400);
            client.get(uri, "/entries?word=a%00b").expect(400);
            client.command(uri, "PATCH", entry + "/items/i", "f", "{\"version\": 1e100, \"definition\": \"x\"}")
                    .expect(400);
            client.send(HttpRequest.newBuilder(URI.create(uri + "/contributors/u-1"))
                            .PUT(BodyPublishers.ofString("{\"name\": \"\\ud800\"}")))
                    .expect(400);
            assertThat(ReadModelJudge.events(database)).hasSize(2);
            requireCorrelation(uri);
        }
    }

    /** An event is kept with the correlation id of the request that led to it. */
    private void requireCorrelation(URI uri) throws Exception {
        client.send(HttpRequest.newBuilder(URI.create(uri + "/entries"))
                        .header("Idempotency-Key", "correlated")
                        .header("X-Correlation-Id", "order-7")
                        .POST(BodyPublishers.ofString(WORD)))
                .expect(201);
        assertThat(ReadModelJudge.events(database))
                .extracting(event -> event.metadata().correlationId())
                .containsOnlyOnce("order-7");
    }

    private void requireHealthAndMetrics(URI management) throws Exception {
        JsonObject health = client.await(
                        management, "/health", json -> json.toString().contains("\"lag_seconds\":0.0"))
                .json();
        assertThat(health.keySet()).containsExactly("status", "projections", "lag_seconds", "error_rate");
        assertThat(health.get("status").getAsString()).isEqualTo("healthy");
        JsonObject projections = health.getAsJsonObject("projections");
        assertThat(projections.keySet()).containsExactly("vocabulary_read_model", "vocabulary_search_index");
        for (String projection : projections.keySet()) {
            assertThat(projections.getAsJsonObject(projection).keySet())
                    .containsExactly(
                            "status",
                            "last_processed_event",
                            "last_processed_at",
                            "error_count",
                            "position",
                            "parked_aggregates",
                            "parked_events");
        }
        client.get(management, "/ready").expect(200);
        client.get(management, "/live").expect(200);
        assertThat(client.get(management, "/metrics").expect(200).body())
                .contains(
                        "projection_event_processing_duration_seconds_bucket{",
                        "event_type=\"ItemsGeneratedWithAI\"",
                        "projection_event_lag_seconds{",
                        "projection_errors_total{",
                        "search_index_batch_size_bucket",
                        "search_index_write_duration_seconds_bucket",
                        "jvm_memory_used_bytes{",
                        "process_uptime_seconds",
                        "process_cpu_usage");
    }

    @Test
    void a_projection_that_failed_is_not_ready_and_alive() throws Exception {
        try (VocabularyService service = VocabularyService.start(environment)) {
            URI management = service.managementUri();
            client.await(management, "/ready", json -> true);
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE vocabulary_examples, vocabulary_items, vocabulary_entries");
            }
            client.command(service.uri(), "POST", "/entries", "create", WORD).expect(201);
            Await.until(
                    TIMEOUT,
                    () -> client.get(management, "/ready").status() == 503,
                    () -> client.get(management, "/health").body());
            client.get(management, "/live").expect(200);
            assertThat(client.get(management, "/health").expect(200).text("status"))
                    .isEqualTo("unhealthy");
        }
    }

    @Test
    void entries_that_are_parked_are_counted_and_say_why() throws Exception {
        try (VocabularyService service = VocabularyService.start(environment, SAMPLED);
                ProjectionOperations operations = JdbcProjectionOperations.create(database);
                EventStore events = JdbcEventStore.create(database)) {
            URI management = service.managementUri();
            for (String entry : List.of("broken-1", "broken-2")) {
                events.append(
                        entry,
                        ExpectedVersion.exactly(0),
                        List.of(new NewEvent(
                                entry, "ItemDeleted", "{\"item_id\": 4711}", Instant.EPOCH, EventMetadata.NONE)));
            }
            for (String projection : List.of(VocabularyReadModel.NAME, VocabularyDocuments.PROJECTION)) {
                awaitMetric(management, "projection_parked_keys{projection=\"%s\"} 2.0".formatted(projection));
                assertThat(operations.parked(projection, 10))
                        .extracting(ParkedAggregate::error)
                        .hasSize(2)
                        .allMatch(error -> error.contains("item_id must be a text") && !error.contains("4711"));
            }
        }
    }

    private void awaitMetric(URI management, String line) throws Exception {
        Await.until(
                TIMEOUT,
                () -> client.get(management, "/metrics").body().contains(line),
                () -> client.get(management, "/metrics").body());
    }

    @Test
    @Tag("proof")
    void events_come_through_the_change_stream_of_a_table_of_spanner() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(
                    SPANNER, DatabaseDialect.GOOGLE_STANDARD_SQL, SpannerEntryLog.SCHEMA.toArray(String[]::new));
            environment.putAll(Map.of(
                    "VOCABULARY_EVENTS",
                    "change-stream",
                    "SPANNER_DATABASE",
                    SPANNER,
                    "SPANNER_EMULATOR_HOST",
                    emulator.emulatorHost(),
                    "SPREAM_CONFIG_START",
                    Instant.now().toString()));
            try (VocabularyService service = VocabularyService.start(environment)) {
                String entry = commandEverything(service.uri());
                Reply again = client.command(
                                service.uri(),
                                "POST",
                                "/entries/" + entry + "/items",
                                "other",
                                "{\"version\": 1, \"definition\": \"late\", \"difficulty\": \"beginner\"}")
                        .expect(409);
                assertThat(again.text("reason")).isEqualTo("VERSION_CONFLICT");
                client.command(
                                service.uri(),
                                "POST",
                                "/entries/" + entry + "/items",
                                "early",
                                "{\"version\": 99, \"definition\": \"early\", \"difficulty\": \"beginner\"}")
                        .expect(409);
                client.command(service.uri(), "POST", "/entries", "create", WORD)
                        .expect(201);
            }
            try (SpannerEntryLog log = SpannerEntryLog.open(SPANNER, Optional.of(emulator.emulatorHost()))) {
                String entry = new RequestIds("u-1", "create").entry();
                ReadModelJudge.judge(database, log.read(entry, Long.MAX_VALUE));
            }
        }
    }

    @Test
    @Tag("proof")
    void events_come_from_pubsub_in_the_order_of_their_entries() throws Exception {
        try (SubscriberServer server = SubscriberServer.start()) {
            server.create("vocabulary-events-projection-sub");
            server.create("vocabulary-events-projection-sub-search");
            environment.putAll(Map.of(
                    "VOCABULARY_EVENTS", "pubsub",
                    "PUBSUB_PROJECT_ID", "demo",
                    "PUBSUB_SUBSCRIPTION", "vocabulary-events-projection-sub",
                    "PUBSUB_ACK_DEADLINE", "600s",
                    "PUBSUB_EMULATOR_HOST", server.host()));
            try (VocabularyService service = VocabularyService.start(environment)) {
                commandEverything(service.uri());
                Await.until(
                        TIMEOUT,
                        () -> server.left("vocabulary-events-projection-sub") == 0,
                        () -> "not all is acknowledged");
            }
            judge();
        }
    }

    @Test
    void events_that_are_not_published_are_seen() throws Exception {
        try (SubscriberServer server = SubscriberServer.start()) {
            server.create("vocabulary-events-projection-sub");
            server.create("vocabulary-events-projection-sub-search");
            environment.putAll(Map.of(
                    "VOCABULARY_EVENTS", "pubsub",
                    "PUBSUB_PROJECT_ID", "demo",
                    "PUBSUB_EMULATOR_HOST", server.host(),
                    "BROKER_TIMEOUT_MS", "1000",
                    "SPREAM_CONFIG_SHUTDOWN_TIMEOUT", "1s")); // what is being published cannot finish
            try (VocabularyService service = VocabularyService.start(environment, SAMPLED)) {
                URI management = service.managementUri();
                client.await(
                        management,
                        "/health",
                        json -> outbox(json).contains("\"status\":\"healthy\"")
                                && json.getAsJsonObject()
                                        .get("status")
                                        .getAsString()
                                        .equals("healthy"));
                client.get(management, "/ready").expect(200);
                server.close();
                client.command(service.uri(), "POST", "/entries", "create", WORD)
                        .expect(201);
                JsonObject health = client.await(
                                management, "/health", json -> outbox(json).contains("\"failed\":1"))
                        .json();
                assertThat(health.getAsJsonObject("outbox").keySet())
                        .containsExactly("status", "lag_seconds", "due", "failed", "parked");
                assertThat(health.get("status").getAsString()).isEqualTo("degraded");
                awaitMetric(management, "outbox_entries{outbox=\"vocabulary_pubsub_relay\",status=\"failed\"} 1.0");
            }
        }
    }

    private static String outbox(JsonElement health) {
        return health.getAsJsonObject().get("outbox").toString();
    }

    @Test
    @Tag("proof")
    void nothing_drifts_while_commands_come_twice_and_the_service_is_started_anew() throws Exception {
        SplittableRandom random = new SplittableRandom(20_260_101);
        List<RandomCommands> entries = new ArrayList<>();
        long[] versions = new long[4];
        for (int i = 0; i < versions.length; i++) {
            entries.add(new RandomCommands(random, String.valueOf(i)));
        }
        for (int round = 0; round < ROUNDS; round++) {
            try (VocabularyService service = VocabularyService.start(environment)) {
                for (int n = 0; n < 60; n++) {
                    int i = random.nextInt(versions.length);
                    commandTwice(service.commands(), entries.get(i), i, versions);
                }
            }
        }
        try (VocabularyService service = VocabularyService.start(environment)) {
            awaitRead(versions);
            judge();
            client.awaitItems(service.uri(), ReadModelJudge.found(database));
        }
    }

    @Test
    void answers_are_complete_while_both_projections_are_rebuilt_and_cut_over() throws Exception {
        try (VocabularyService service = VocabularyService.start(environment);
                ProjectionOperations operations = JdbcProjectionOperations.create(database)) {
            URI uri = service.uri();
            String entry = "/entries/"
                    + client.command(uri, "POST", "/entries", "create", WORD)
                            .expect(201)
                            .text("entry_id");
            for (int i = 1; i <= REBUILT; i++) {
                addItem(uri, entry, i);
            }
            client.await(uri, entry, json -> count(json, "item_count") == REBUILT);
            client.await(uri, "/search?q=meaning", json -> count(json, "total") == REBUILT);
            AtomicBoolean done = new AtomicBoolean();
            AtomicLong looks = new AtomicLong();
            CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
                while (!done.get()) {
                    look(uri, entry);
                    looks.incrementAndGet();
                    LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                }
            });
            int items = REBUILT;
            for (String projection : List.of(VocabularyDocuments.PROJECTION, VocabularyReadModel.NAME)) {
                int version = operations.rebuilds().rebuild(projection, OptionalInt.empty(), 0, ACT);
                addItem(uri, entry, ++items);
                awaitBuilt(operations, projection);
                operations.rebuilds().cutOver(projection, version, TIMEOUT, Set.of(), ACT);
                addItem(uri, entry, ++items);
            }
            long all = items;
            client.await(uri, entry, json -> count(json, "item_count") == all);
            client.await(uri, "/search?q=meaning", json -> count(json, "total") == all);
            long seen = looks.get();
            Await.until(TIMEOUT, () -> reader.isDone() || looks.get() > seen + 1, () -> "no search runs");
            done.set(true);
            reader.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            judge();
            requireSearchedInVersion2(uri, operations, all);
        }
    }

    /** Requires that searches no longer find items that only the retired version has. */
    private void requireSearchedInVersion2(URI uri, ProjectionOperations operations, long before) throws Exception {
        String retired = VocabularyDocuments.PROJECTION;
        assertThat(operations.rebuilds().versions(retired))
                .extracting(ProjectionVersion::role)
                .containsExactly(VersionRole.RETIRED, VersionRole.LIVE);
        operations.rebuilds().drop(retired, 1, ACT);
        String late = client.command(uri, "POST", "/entries", "late", WORD)
                .expect(201)
                .text("entry_id");
        addItem(uri, "/entries/" + late, 1);
        client.await(uri, "/search?q=meaning", json -> count(json, "total") == before + 1);
    }

    private void look(URI uri, String entry) {
        try {
            assertThat(count(client.get(uri, "/search?q=meaning").expect(200).json(), "total"))
                    .as("items that are found")
                    .isGreaterThanOrEqualTo(REBUILT);
            assertThat(count(client.get(uri, entry).expect(200).json(), "item_count"))
                    .as("items in the read model")
                    .isGreaterThanOrEqualTo(REBUILT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static long count(JsonElement answer, String member) {
        return answer.getAsJsonObject().get(member).getAsLong();
    }

    private void addItem(URI uri, String entry, int version) throws Exception {
        client.command(
                        uri,
                        "POST",
                        entry + "/items",
                        "%s %d".formatted(entry, version).replace(' ', '-'),
                        "{\"version\": %d, \"definition\": \"meaning %d\", \"difficulty\": \"beginner\"}"
                                .formatted(version, version))
                .expect(201);
    }

    private static void awaitBuilt(ProjectionOperations operations, String projection) throws Exception {
        Await.until(
                TIMEOUT,
                () -> operations.rebuilds().progress(projection).stream()
                        .allMatch(progress -> progress.version().prepared() && progress.isCaughtUp()),
                () -> operations.rebuilds().progress(projection).toString());
    }

    private static void commandTwice(EntryCommands commands, RandomCommands entry, int number, long[] versions) {
        RequestIds create = new RequestIds("u", "create " + number);
        RequestIds ids = new RequestIds("u", "%d %d".formatted(number, versions[number]));
        if (versions[number] == 0) {
            CreateEntry command = entry.create();
            commands.create(command, create);
            versions[number] = commands.create(command, create).eventVersion();
            return;
        }
        Command command = entry.next();
        commands.handle(create.entry(), versions[number], command, ids);
        versions[number] =
                commands.handle(create.entry(), versions[number], command, ids).eventVersion();
    }

    private void awaitRead(long[] versions) throws Exception {
        long all = Arrays.stream(versions).sum();
        Await.until(
                TIMEOUT,
                () -> ReadModelJudge.rows(database, "SELECT coalesce(sum(version), 0)::text FROM vocabulary_entries")
                        .equals(List.of(String.valueOf(all))),
                () -> "the read model has not all %d events".formatted(all));
    }
}

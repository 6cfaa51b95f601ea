package dev.spream.examples.vocabulary;

import static dev.spream.examples.vocabulary.VocabularySettings.BATCH_FLUSH_INTERVAL;
import static dev.spream.examples.vocabulary.VocabularySettings.DATABASE_URL;
import static dev.spream.examples.vocabulary.VocabularySettings.EVENTS;
import static dev.spream.examples.vocabulary.VocabularySettings.EVENT_STORE_URL;
import static dev.spream.examples.vocabulary.VocabularySettings.HTTP;
import static dev.spream.examples.vocabulary.VocabularySettings.MANAGEMENT_HTTP;
import static dev.spream.examples.vocabulary.VocabularySettings.MEILISEARCH_URL;
import static dev.spream.examples.vocabulary.VocabularySettings.PUBSUB_EMULATOR_HOST;
import static dev.spream.examples.vocabulary.VocabularySettings.PUBSUB_PROJECT_ID;
import static dev.spream.examples.vocabulary.VocabularySettings.SEARCH_DIRECTORY;
import static dev.spream.examples.vocabulary.VocabularySettings.SPANNER_DATABASE;
import static dev.spream.examples.vocabulary.VocabularySettings.SPANNER_EMULATOR_HOST;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.config.ConfigException;
import dev.spream.core.LoggedFailure;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.examples.http.Parts;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the vocabulary service and starts the parts that its environment does not name: a database with a directory for
 * the search index and, for events from a change stream, a Spanner emulator, which all end with it. A database that it
 * starts is filled with sample words.
 *
 * <p>{@code VocabularyProgram [--events event-store|change-stream|pubsub] [--port 8080] [--management-port 9090]}
 */
public final class VocabularyProgram implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(VocabularyProgram.class);
    private static final int FAILED = 1;
    private static final int MISUSED = 2;
    private static final int SAMPLE_LOOKS = 300;
    private static final Duration SAMPLE_PAUSE = Duration.ofMillis(50);
    private static final String SPANNER = "projects/example/instances/example/databases/vocabulary";
    private static final String USAGE =
            "usage: VocabularyProgram [--events event-store|change-stream|pubsub] [--port <port>] [--management-port <port>]";
    private static final Map<String, String> FLAGS =
            Map.of("--events", EVENTS, "--port", HTTP, "--management-port", MANAGEMENT_HTTP);

    private final ReentrantLock lock = new ReentrantLock(); // held during the start and the close
    private final Parts parts = new Parts(); // guarded by lock

    private Optional<VocabularyService> running = Optional.empty(); // used by the thread that runs it

    private Optional<Integer> ownDatabase = Optional.empty(); // its port; used by the thread that runs it

    public static void main(String[] args) {
        VocabularyProgram program = new VocabularyProgram();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            program.close();
                            Runtime.getRuntime().halt(0); // otherwise the exit status is that of the signal
                        },
                        "vocabulary-end"));
        int status = program.run(args, System.getenv());
        if (status == 0) {
            status = program.await();
        }
        if (status != 0) {
            Runtime.getRuntime().halt(status);
        }
    }

    /**
     * Starts the service and prints example commands, or closes its started parts and prints one line with the reason
     * of the failure. With {@code --help}, prints the usage and starts nothing.
     *
     * @return the exit status of the process: 0 if it started, 2 if an argument or a value of the environment is
     * invalid, else 1
     */
    int run(String[] args, Map<String, String> environment) {
        if (List.of(args).contains("--help")) {
            System.out.println(USAGE);
            return 0;
        }
        lock.lock();
        try {
            Map<String, String> all = with(args, environment);
            EventsFrom events = new VocabularySettings(all).events();
            VocabularyService service = start(all, events);
            running = Optional.of(service);
            System.out.print(usageHints(service.uri(), service.managementUri()));
            ownDatabase.ifPresent(
                    port -> System.out.print((events == EventsFrom.EVENT_STORE ? operatingHints(port) : "")
                            + "\nAll this is gone when it ends.\n"));
            return 0;
        } catch (IOException | SQLException | RuntimeException e) {
            close();
            System.err.println("the vocabulary service did not start: " + reason(e));
            return e instanceof ConfigException ? MISUSED : FAILED;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until it ends or fails; then closes its started parts, and prints the reason.
     *
     * @return the exit status of the process: 0 if it was closed, 1 if its projections failed
     */
    int await() {
        try {
            if (running.isPresent()) {
                running.get().awaitProjections();
            }
            return 0;
        } catch (ExecutionException e) {
            close();
            System.err.println("the vocabulary service ends: " + reason(e.getCause() == null ? e : e.getCause()));
            return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private static String reason(Throwable failure) {
        String reason = Optional.ofNullable(failure.getMessage()).orElseGet(failure::toString);
        return reason.replaceAll("\\s*\\R\\s*", " ");
    }

    private static Map<String, String> with(String[] args, Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.values().removeIf(String::isEmpty); // an empty value counts as absent
        for (int i = 0; i < args.length; i += 2) {
            String variable = FLAGS.get(args[i]);
            if (variable == null || i + 1 == args.length) {
                throw new ConfigException(List.of(USAGE));
            }
            all.put(variable, args[i + 1]);
        }
        return all;
    }

    private VocabularyService start(Map<String, String> environment, EventsFrom events)
            throws IOException, SQLException {
        boolean own = !environment.containsKey(DATABASE_URL);
        if (own) {
            startDatabase(environment);
        }
        switch (events) {
            case EVENT_STORE -> {}
            case CHANGE_STREAM -> startSpanner(environment);
            case PUBSUB -> preparePubsub(environment);
        }
        if (own) {
            environment.putIfAbsent(BATCH_FLUSH_INTERVAL, "200ms"); // for interactive use
        }
        VocabularyService service = parts.add(VocabularyService.start(environment));
        if (own) {
            SampleVocabulary.add(service.commands());
            awaitSample(service);
        }
        return service;
    }

    /** Adds sample words, so that the page is not empty at first. */
    private static void awaitSample(VocabularyService service) {
        try {
            for (int i = 0; i < SAMPLE_LOOKS && service.found() < SampleVocabulary.ITEMS; i++) {
                Thread.sleep(SAMPLE_PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Starts the database without a shutdown hook of its own, which would end it before the service. The index is
     * removed with the database, since it belongs to its events.
     */
    private void startDatabase(Map<String, String> environment) throws IOException {
        EmbeddedPostgres postgres = parts.add(EmbeddedPostgres.builder()
                .setServerConfig("synchronous_commit", "on")
                .setRegisterShutdownHook(false)
                .start());
        String url = "postgres://postgres@localhost:%d/postgres".formatted(postgres.getPort());
        environment.put(DATABASE_URL, url);
        environment.put(EVENT_STORE_URL, url);
        ownDatabase = Optional.of(postgres.getPort());
        if (!environment.containsKey(MEILISEARCH_URL) && !environment.containsKey(SEARCH_DIRECTORY)) {
            environment.put(SEARCH_DIRECTORY, temporaryDirectory().toString());
        }
    }

    private Path temporaryDirectory() throws IOException {
        Path directory = Files.createTempDirectory("vocabulary-search-");
        parts.add(() -> delete(directory));
        return directory;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void startSpanner(Map<String, String> environment) {
        if (environment.containsKey(SPANNER_DATABASE)) {
            return;
        }
        SpannerEmulator emulator = parts.add(SpannerEmulator.start());
        emulator.createDatabase(
                SPANNER, DatabaseDialect.GOOGLE_STANDARD_SQL, SpannerEntryLog.SCHEMA.toArray(String[]::new));
        environment.put(SPANNER_DATABASE, SPANNER);
        environment.put(SPANNER_EMULATOR_HOST, emulator.emulatorHost());
        // Without it, a subscription begins at its first read, and earlier writes are not delivered.
        environment.put("SPREAM_CONFIG_START", Instant.now().toString());
    }

    private static void preparePubsub(Map<String, String> environment) throws IOException {
        if (!environment.containsKey(PUBSUB_EMULATOR_HOST)) {
            if (!environment.containsKey(PUBSUB_PROJECT_ID)) {
                throw new ConfigException(
                        List.of(
                                "events from Pub/Sub need PUBSUB_EMULATOR_HOST, of an emulator (gcloud beta emulators pubsub start), or PUBSUB_PROJECT_ID, of a project that has the topic and its two ordered subscriptions"));
            }
            return;
        }
        environment.putIfAbsent(PUBSUB_PROJECT_ID, "example");
        PubsubTopics.create(new VocabularySettings(environment));
    }

    private static String usageHints(URI service, URI management) {
        return """
                vocabulary at %1$s, search page at %1$s/
                health at %2$s/health, also /live, /ready and /metrics

                Search, look, and add a word and what it means:

                  curl '%1$s/search?q=water'
                  curl '%1$s/entries?limit=3'
                  curl -i %1$s/entries -H 'Idempotency-Key: word-1' -H 'X-User-Id: you' \\
                      -H 'Content-Type: application/json' \\
                      -d '{"word": "雪", "reading": "ゆき", "part_of_speech": "noun"}'
                  curl -i %1$s/entries/<entry_id>/items -H 'Idempotency-Key: item-1' -H 'X-User-Id: you' \\
                      -H 'Content-Type: application/json' \\
                      -d '{"version": 1, "definition": "snow", "difficulty": "beginner", "categories": ["weather"]}'
                  curl %1$s/entries/<entry_id>

                The same again changes nothing; with another key, it is a conflict: the entry has another version.
                """.formatted(service, management);
    }

    /** Returns the commands for the event store, from which a projection is rebuilt. */
    private static String operatingHints(int port) {
        return """

                Operate its projections from another terminal; what they read is always complete meanwhile:

                  where='--url jdbc:postgresql://localhost:%1$d/postgres --user postgres'
                  ./spream projection list $where
                  ./spream projection rebuild %2$s --reason 'to try it' $where
                  ./spream projection cutover %2$s --yes --reason 'to try it' $where
                """.formatted(port, VocabularyDocuments.PROJECTION);
    }

    /** Lets the service finish running work, and then ends the parts that were started for it. Closing again is harmless. */
    @Override
    public void close() {
        lock.lock();
        try {
            parts.close();
        } catch (IllegalStateException e) {
            log.warn("the vocabulary service did not end in order", LoggedFailure.of(e));
        } finally {
            lock.unlock();
        }
    }
}

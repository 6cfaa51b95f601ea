package dev.spream.examples.vocabulary;

import dev.spream.api.HttpAddress;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ConfigType;
import dev.spream.projection.ProjectionOptions;
import dev.spream.storage.spanner.DatabaseName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The settings of the environment; {@link VocabularyService} lists the variables. spream's own are read by its
 * configuration, under the corresponding keys.
 */
final class VocabularySettings {
    static final String EVENTS = "VOCABULARY_EVENTS";
    static final String HTTP = "VOCABULARY_HTTP";
    static final String MANAGEMENT_HTTP = "MANAGEMENT_HTTP";
    static final String BATCH_SIZE = "BATCH_SIZE";
    static final String BATCH_FLUSH_INTERVAL = "BATCH_FLUSH_INTERVAL";
    static final String DATABASE_URL = "DATABASE_URL";
    static final String EVENT_STORE_URL = "EVENT_STORE_URL";
    static final String MEILISEARCH_URL = "MEILISEARCH_URL";
    static final String MEILISEARCH_API_KEY = "MEILISEARCH_API_KEY";
    static final String SEARCH_DIRECTORY = "SEARCH_DIRECTORY";
    static final String SPANNER_DATABASE = "SPANNER_DATABASE";
    static final String SPANNER_EMULATOR_HOST = "SPANNER_EMULATOR_HOST";
    static final String MAX_RETRY_ATTEMPTS = "MAX_RETRY_ATTEMPTS";
    static final String PUBSUB_PROJECT_ID = "PUBSUB_PROJECT_ID";
    static final String PUBSUB_TOPIC = "PUBSUB_TOPIC";
    static final String PUBSUB_SUBSCRIPTION = "PUBSUB_SUBSCRIPTION";
    static final String PUBSUB_EMULATOR_HOST = "PUBSUB_EMULATOR_HOST";

    private static final Pattern POSTGRES = Pattern.compile("(?is)postgres(?:ql)?://.*");
    private static final Pattern ENCODED = Pattern.compile("(?is)[^:]+://(?:[^@/?]*@)?[^@/?]+(?:[/?][^@]*)?");
    private static final String SUBSCRIPTION = "vocabulary-events-projection-sub";

    private final Map<String, String> environment;

    VocabularySettings(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    Optional<String> find(String variable) {
        return Optional.ofNullable(environment.get(variable)).filter(value -> !value.isEmpty());
    }

    private String require(String variable, String why) {
        return find(variable)
                .orElseThrow(() -> new ConfigException(List.of("%s is missing: %s".formatted(variable, why))));
    }

    private void requireDatabase(String variable, String why) {
        String url = require(variable, why);
        if (POSTGRES.matcher(url).matches() && !ENCODED.matcher(url).matches()) {
            throw new ConfigException(List.of(
                    "%s is not postgres://user:password@host:5432/database: percent-encode user and password, '/' as %%2F, '@' as %%40, '?' as %%3F, ':' as %%3A"
                            .formatted(variable)));
        }
    }

    EventsFrom events() {
        return EventsFrom.parse(find(EVENTS).orElse(EventsFrom.EVENT_STORE.toString()));
    }

    HttpAddress http() {
        return address(HTTP, "8080");
    }

    HttpAddress managementHttp() {
        return address(MANAGEMENT_HTTP, "9090");
    }

    private HttpAddress address(String variable, String otherwise) {
        return parsed(variable, find(variable).orElse(otherwise), HttpAddress::parse);
    }

    /** Returns the options of the search projection, which differ from the others in the batches. */
    ProjectionOptions searchOptions(ProjectionOptions options) {
        int batch = parsed(
                BATCH_SIZE, find(BATCH_SIZE).orElse("100"), ConfigType.integer(1, ProjectionOptions.MAX_BATCH)::read);
        Duration linger = parsed(
                BATCH_FLUSH_INTERVAL,
                find(BATCH_FLUSH_INTERVAL).orElse("5s"),
                ConfigType.duration(Duration.ZERO, ProjectionOptions.MAX_LINGER)::read);
        return options.withBatch(batch).withLinger(linger);
    }

    private static <T> T parsed(String variable, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            ConfigException refusal = new ConfigException(List.of("%s: %s".formatted(variable, e.getMessage())));
            refusal.initCause(e);
            throw refusal;
        }
    }

    String spannerDatabase() {
        String name = require(SPANNER_DATABASE, "it is projects/<project>/instances/<instance>/databases/<database>");
        return parsed(SPANNER_DATABASE, name, DatabaseName::parse).toString();
    }

    String pubsubProject() {
        return require(PUBSUB_PROJECT_ID, "it is the project of the topic and its subscriptions");
    }

    String pubsubTopic() {
        return find(PUBSUB_TOPIC).orElse("vocabulary-events");
    }

    /**
     * Returns the subscription of each projection. One subscription for both would deliver each event to only one of
     * them: a configured name is that of the read model, and the search index uses the name with the suffix {@code
     * -search}.
     */
    String pubsubSubscriptions() {
        String named = find(PUBSUB_SUBSCRIPTION).orElse(SUBSCRIPTION);
        return named.contains("=")
                ? named
                : "%s=%s,%s=%s-search"
                        .formatted(VocabularyReadModel.NAME, named, VocabularyDocuments.PROJECTION, named);
    }

    /** Returns the configuration of the projections and of the origin of their events. */
    SpreamConfig projections() {
        requireDatabase(DATABASE_URL, "it is the database of the read model");
        find(MAX_RETRY_ATTEMPTS)
                .ifPresent(text -> parsed(
                        MAX_RETRY_ATTEMPTS, text, ConfigType.integer(0, ProjectionOptions.MAX_MAX_ATTEMPTS - 1)::read));
        SpreamConfig.Builder config = reads();
        useSearch(config);
        switch (events()) {
            case EVENT_STORE -> useEventStore(config);
            case CHANGE_STREAM -> useChangeStream(config);
            case PUBSUB -> {
                useEventStore(config);
                usePubsub(config);
            }
        }
        return config.build();
    }

    private SpreamConfig.Builder reads() {
        return SpreamConfig.builder()
                .environment(environment)
                .projectionVariables()
                .set("projections", "jdbc");
    }

    /** Configures a plug-in with the database of the read model. */
    private void useReadDatabase(SpreamConfig.Builder config, String plugin) {
        SpreamConfig reads = reads().build();
        for (String key : List.of(".url", ".user", ".password")) {
            reads.raw("projections.jdbc" + key).ifPresent(value -> config.set(plugin + key, literal(value)));
        }
    }

    private void useSearch(SpreamConfig.Builder config) {
        if (find(MEILISEARCH_URL).isPresent()) {
            config.set("search", "meilisearch");
            return;
        }
        String directory = require(
                SEARCH_DIRECTORY,
                "it is the directory of the search index, which must live as long as the database of the read model, "
                        + "where its progress is stored, and both belong to one process; for several processes, set "
                        + "MEILISEARCH_URL");
        config.set("search", "lucene").set("search.lucene.directory", literal(directory));
    }

    private void useEventStore(SpreamConfig.Builder config) {
        requireDatabase(EVENT_STORE_URL, "it is the database of the events, which may be that of the read model");
        config.set("events", "jdbc");
    }

    private void useChangeStream(SpreamConfig.Builder config) {
        config.set("event-source", "change-stream")
                .set("event-source.change-stream.table", SpannerEntryLog.TABLE)
                .set("source", "spanner")
                .set("source.spanner.database", literal(spannerDatabase()))
                .set("source.spanner.stream", SpannerEntryLog.STREAM)
                .set("storage", "jdbc");
        useReadDatabase(config, "storage.jdbc");
        find(SPANNER_EMULATOR_HOST).ifPresent(host -> config.set("source.spanner.emulator-host", literal(host)));
    }

    private void usePubsub(SpreamConfig.Builder config) {
        pubsubProject();
        config.set("event-source", "pubsub").set("event-source.pubsub.subscription", literal(pubsubSubscriptions()));
        find(PUBSUB_EMULATOR_HOST).ifPresent(host -> config.set("event-source.pubsub.emulator-host", literal(host)));
    }

    /** Returns the configuration of the outbox from which events are published, in the database of the read model. */
    SpreamConfig relay() {
        SpreamConfig.Builder config = SpreamConfig.builder()
                .environment(environment)
                .set("outbox", "jdbc")
                .set("outbox.enabled", "true")
                .set("sender", "pubsub")
                .set("sender.pubsub.topic", literal("projects/%s/topics/%s".formatted(pubsubProject(), pubsubTopic())));
        useReadDatabase(config, "outbox.jdbc");
        find(PUBSUB_EMULATOR_HOST).ifPresent(host -> config.set("sender.pubsub.emulator-host", literal(host)));
        return config.build();
    }

    /** Returns the value with everything escaped that looks like a reference. */
    private static String literal(String value) {
        return value.replace("${", "$${");
    }
}

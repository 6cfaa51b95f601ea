package dev.spream.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.spream.api.ConfigCheck;
import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The metadata with which IDEs complete and describe properties is made of spream's own keys. With METADATA_WRITE set, it
 * is written.
 */
final class MetadataTest {
    private static final Path FILE = Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");
    private static final Set<Port<?>> OF_SUBSCRIPTIONS = Set.of(
            ChangeStreamSourceProvider.PORT,
            PartitionStorageProvider.PORT,
            ConsumerProvider.PORT,
            DeadLetterSinkProvider.PORT);
    private static final Set<String> OF_COMMANDS = Set.of("http", "http-token"); // read by the command line alone
    private static final String STARTER = "dev.spream.spring.SpreamProperties";
    private static final String LOCKS = "dev.spream.spring.jdbc.LockProperties";
    private static final String OUTBOX = "dev.spream.spring.jdbc.OutboxProperties";
    private static final String DURATION = "java.time.Duration";
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private final JsonArray properties = new JsonArray();
    private final JsonArray hints = new JsonArray();

    @Test
    void it_has_every_key_of_a_subscription() throws IOException {
        addOwn();
        addLocks();
        addOutbox();
        List<ConfigEntry> entries = ConfigCheck.of(SpreamConfig.of(Map.of())).entries().stream()
                .filter(MetadataTest::isOfSubscription)
                .toList();
        entries.forEach(entry -> add("spream.defaults." + entry.key(), entry.declaration()));
        JsonObject metadata = new JsonObject();
        metadata.add("groups", groups());
        metadata.add("properties", properties);
        metadata.add("hints", hints);
        String text = GSON.toJson(metadata) + "\n";
        if (System.getenv("METADATA_WRITE") != null) {
            Files.writeString(FILE, text);
        }

        assertThat(entries).hasSizeGreaterThan(80);
        assertThat(Files.readString(FILE))
                .as(
                        "METADATA_WRITE=true mvn -pl spream-spring-boot-starter -am verify -Dit.test=MetadataTest -Dtest=none"
                                + " -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false writes it")
                .isEqualTo(text);
    }

    @Test
    void an_outbox_worker_has_the_options_of_the_command_line() {
        addOutbox();
        List<String> options = ConfigCheck.of(SpreamConfig.of(Map.of())).entries().stream()
                .map(ConfigEntry::key)
                .filter(key -> key.matches("outbox\\.[a-z-]+"))
                .map(key -> key.replace("outbox.", "spream.outbox.worker."))
                .toList();
        assertThat(options).hasSizeGreaterThan(15);
        assertThat(properties)
                .extracting(property -> property.getAsJsonObject().get("name").getAsString())
                .containsAll(options);
    }

    private static boolean isOfSubscription(ConfigEntry entry) {
        String port = entry.key().split("\\.", 2)[0];
        boolean ofOther =
                Ports.ALL.stream().anyMatch(known -> known.key().equals(port) && !OF_SUBSCRIPTIONS.contains(known));
        return !ofOther && !OF_COMMANDS.contains(entry.key());
    }

    private void addOwn() {
        own("spream.enabled", "java.lang.Boolean", "Whether subscriptions are assembled at all.", true);
        own(
                "spream.auto-startup",
                "java.lang.Boolean",
                "Whether subscriptions start with the application context.",
                true);
        own(
                "spream.failure-action",
                "dev.spream.spring.SpreamProperties$FailureAction",
                "Action after a subscription has failed for good: report it in log and health; also close the"
                        + " application; or also exit with code 1.",
                "report");
        own(
                "spream.subscriptions",
                "java.util.Map<java.lang.String,java.util.Map<java.lang.String,java.lang.String>>",
                "Subscriptions by name, each with the keys that are listed below spream.defaults.",
                null);
    }

    private void addLocks() {
        ofLocks("enabled", "java.lang.Boolean", "Whether there are locks over the application's data source.", false);
        ofLocks("schema", "java.lang.String", "Schema of the tables of locks. Default: spream.", null);
        ofLocks("handles", "java.lang.Integer", "Open handles and transactions that lock; each holds a connection.", 4);
        ofLocks("holder-timeout", DURATION, "A process that is paused for longer loses its locks.", "1m");
        ofLocks("statement-timeout", DURATION, "Limit of a statement that does not wait for locks.", "5s");
        ofLocks("migrate", "java.lang.Boolean", "Whether to create and migrate the tables of locks.", true);
    }

    private void ofLocks(String key, String type, String description, @Nullable Object defaultValue) {
        own("spream.locks." + key, LOCKS, type, description, defaultValue);
    }

    private void addOutbox() {
        ofOutbox(
                "enabled",
                "java.lang.Boolean",
                "Whether there is an outbox over the application's data source.",
                false);
        ofOutbox("schema", "java.lang.String", "Schema of the tables of the outbox. Default: spream.", null);
        ofOutbox("table", "java.lang.String", "Table of the entries. Default: outbox_orders.", null);
        ofOutbox("ledger", "java.lang.String", "Table of the idempotency keys. Default: idempo_ledger.", null);
        ofOutbox("migrate", "java.lang.Boolean", "Whether to create and migrate the tables of the outbox.", true);
        ofOutbox("statement-timeout", DURATION, "Limit of a statement of a worker.", "5s");
        ofOutbox("worker.enabled", "java.lang.Boolean", "Whether a worker sends for the OutboxSender beans.", true);
        ofOutbox("worker.name", "java.lang.String", "Name of the worker for operators.", "spream");
        ofOutbox("worker.batch", "java.lang.Integer", "Maximum number of entries claimed by one statement.", 32);
        ofOutbox("worker.poll-interval", DURATION, "Pause between polls of an idle worker.", "500ms");
        ofOutbox("worker.lease", DURATION, "Time after which others may claim the entries of a dead worker.", "2m");
        ofOutbox("worker.entry-retention", DURATION, "Time that settled entries are kept; 0s for ever.", "7d");
        ofOutbox(
                "worker.ledger-retention",
                DURATION,
                "Time that the ledger keeps settled requests; 0s for ever.",
                "30d");
        ofOutbox("worker.audit-retention", DURATION, "Time that actions of operators are kept; 0s for ever.", "90d");
        ofOutbox("worker.shutdown-timeout", DURATION, "Time within which the worker ends at a shutdown.", "20s");
        addLimits();
        own(
                "spream.outbox.senders",
                OUTBOX,
                "java.util.Map<java.lang.String,dev.spream.spring.jdbc.OutboxProperties$Limits>",
                "Limits of senders that differ from those of the worker, by destination: the keys from concurrency on.",
                null);
    }

    private void addLimits() {
        ofOutbox("worker.concurrency", "java.lang.Integer", "Entries that a sender sends at a time. Default: 4.", null);
        ofOutbox(
                "worker.rate",
                "java.lang.Integer",
                "Attempts that a sender begins in a second, at most. Default: no limit.",
                null);
        ofOutbox("worker.send-timeout", DURATION, "Time limit of one attempt. Default: 2500ms.", null);
        ofOutbox("worker.max-attempts", "java.lang.Integer", "Maximum number of attempts. Default: 6.", null);
        ofOutbox(
                "worker.backoff",
                "java.lang.String",
                "Delays after failed attempts, the last one repeating; or a range such as 5s..10m for random ones."
                        + " Default: 5s,10s,20s,40s,80s,160s.",
                null);
        ofOutbox("worker.max-age", DURATION, "Age after which an entry is not retried. Default: no limit.", null);
        ofOutbox(
                "worker.ordered-failure",
                "dev.spream.outbox.worker.OrderedFailurePolicy",
                "Action for an entry with an ordering key that failed permanently. Default: abort.",
                null);
        ofOutbox(
                "worker.unknown-failure",
                "dev.spream.outbox.worker.UnknownFailure",
                "Action for an entry without attempts left that may have reached the receiver. Default: park.",
                null);
        ofOutbox(
                "worker.breaker-failures",
                "java.lang.Integer",
                "Failures in a row that open the circuit breaker of a sender; 0 for never. Default: 20.",
                null);
        ofOutbox("worker.breaker-pause", DURATION, "Time that it is open before a probe. Default: 10s.", null);
    }

    private void ofOutbox(String key, String type, String description, @Nullable Object defaultValue) {
        own("spream.outbox." + key, OUTBOX, type, description, defaultValue);
    }

    private void own(String name, String type, String description, @Nullable Object defaultValue) {
        own(name, STARTER, type, description, defaultValue);
    }

    private void own(String name, String source, String type, String description, @Nullable Object defaultValue) {
        JsonObject property = new JsonObject();
        property.addProperty("name", name);
        property.addProperty("type", type);
        property.addProperty("description", description);
        property.addProperty("sourceType", source);
        if (defaultValue != null) {
            property.add("defaultValue", GSON.toJsonTree(defaultValue));
        }
        properties.add(property);
    }

    private static JsonArray groups() {
        JsonArray groups = new JsonArray();
        groups.add(group("spream", STARTER));
        groups.add(group("spream.locks", LOCKS));
        groups.add(group("spream.outbox", OUTBOX));
        return groups;
    }

    private static JsonObject group(String name, String type) {
        JsonObject group = new JsonObject();
        group.addProperty("name", name);
        group.addProperty("type", type);
        group.addProperty("sourceType", type);
        return group;
    }

    private <T> void add(String name, ConfigKey<T> key) {
        JsonObject property = new JsonObject();
        property.addProperty("name", name);
        property.addProperty("type", type(key));
        property.addProperty("description", description(key));
        key.defaultValue().map(key.type()::write).ifPresent(value -> property.add("defaultValue", value(key, value)));
        properties.add(property);
        if (!key.type().choices().isEmpty() && !type(key).equals("java.lang.Boolean")) {
            JsonObject hint = new JsonObject();
            hint.addProperty("name", name);
            JsonArray values = new JsonArray();
            key.type().choices().forEach(choice -> {
                JsonObject value = new JsonObject();
                value.addProperty("value", choice);
                values.add(value);
            });
            hint.add("values", values);
            hints.add(hint);
        }
    }

    private static String type(ConfigKey<?> key) {
        String label = key.type().label();
        if (key.type().choices().equals(List.of("true", "false"))) {
            return "java.lang.Boolean";
        }
        if (label.matches("integer, -?\\d+ to \\d+")) {
            return "java.lang.Integer";
        }
        return label.startsWith("list") ? "java.util.List<java.lang.String>" : "java.lang.String";
    }

    private static JsonElement value(ConfigKey<?> key, String written) {
        return switch (type(key)) {
            case "java.lang.Boolean" -> GSON.toJsonTree(Boolean.valueOf(written));
            case "java.lang.Integer" -> GSON.toJsonTree(Integer.valueOf(written));
            default -> GSON.toJsonTree(written);
        };
    }

    private static String description(ConfigKey<?> key) {
        String otherwise = key.defaultValue().isPresent()
                ? ""
                : key.defaultText().map(text -> " Default: %s.".formatted(text)).orElse("");
        String label = key.type().choices().isEmpty() && !key.type().label().equals("text")
                ? " (%s)".formatted(key.type().label())
                : "";
        return List.of(key.meaning(), label, otherwise, key.isSecret() ? " A secret." : "").stream()
                .collect(Collectors.joining());
    }
}

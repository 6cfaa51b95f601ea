package dev.spream.sink.kafka;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Configuration keys shared by the sink and the sender: brokers, properties of the client, the check at start. */
final class KafkaKeys {
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+\\]|[^\\s:/,]+):\\d{1,5}");

    static final ConfigKey<List<String>> BOOTSTRAP_SERVERS = ConfigKey.of(
                    "bootstrap-servers",
                    new ConfigType<>("list of host:port", KafkaKeys::servers, servers -> String.join(",", servers)),
                    "Some brokers of the cluster, by which the client finds the others.")
            .required();
    static final ConfigKey<Duration> PUBLISH_TIMEOUT = ConfigKey.of(
                    "publish-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    "Time limit until Kafka confirms a message, with the client's retries, and for the wait before it for"
                            + " the topic's partitions or for memory.")
            .withDefault(Duration.ofMinutes(1));
    static final ConfigKey<Duration> START_TIMEOUT = ConfigKey.of(
                    "start-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    "Time limit for the first answer of a broker, at start.")
            .withDefault(Duration.ofSeconds(30));
    static final ConfigKey<Boolean> CHECK_TOPIC = ConfigKey.of(
                    "check-topic",
                    ConfigType.flag(),
                    "Whether the start waits for a broker, and checks that the topic exists and may be written to.")
            .withDefault(true);

    private static final int MAX_PARTITIONS = 100_000;
    static final ConfigKey<Integer> PARTITIONS = ConfigKey.of(
                    "partitions",
                    ConfigType.integer(1, MAX_PARTITIONS),
                    "Number of partitions that keys are distributed over, for topics that may get more.")
            .withDefaultMeaning("all that the topic has");

    private KafkaKeys() {}

    private static List<String> servers(String text) {
        List<String> servers = ConfigType.list().read(text);
        if (!servers.stream().allMatch(server -> SERVER.matcher(server).matches())) {
            throw new IllegalArgumentException("expected host:port, such as localhost:9092, separated by commas");
        }
        return servers;
    }

    /** Returns the keys of a plug-in, with those of the client. */
    static List<ConfigKey<?>> with(List<ConfigKey<?>> more, ConfigKey<?>... own) {
        List<ConfigKey<?>> keys = new ArrayList<>(List.of(own));
        keys.addAll(more);
        keys.addAll(ClientProperties.all());
        return keys;
    }

    static List<String> problems(PluginConfig config) {
        return ClientProperties.missingLibrary(config).stream().toList();
    }

    static KafkaOptions options(String prefix, PluginConfig config, PluginContext context) {
        return new KafkaOptions(
                prefix,
                "spream-" + context.subscription(),
                config.get(BOOTSTRAP_SERVERS),
                ClientProperties.of(config),
                config.get(PUBLISH_TIMEOUT),
                config.get(START_TIMEOUT),
                config.get(CHECK_TOPIC));
    }
}

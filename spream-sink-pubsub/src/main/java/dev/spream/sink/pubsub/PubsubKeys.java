package dev.spream.sink.pubsub;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.sink.pubsub.PubsubOptions.Server;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Configuration keys shared by the sink and the sender: topic, endpoint and credentials. */
final class PubsubKeys {
    private static final String EMULATOR_VARIABLE = "PUBSUB_EMULATOR_HOST";

    private static final Pattern HOST_AND_PORT = Pattern.compile("[^/\\s]+:(?<port>\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    /** A server without a scheme before it, as {@code PUBSUB_EMULATOR_HOST} has it. */
    private static final ConfigType<String> SERVER =
            new ConfigType<>("host:port", PubsubKeys::requireHostAndPort, host -> host);

    static final ConfigKey<PubsubTopic> TOPIC = ConfigKey.of(
                    "topic",
                    new ConfigType<>(PubsubTopic.FORM, PubsubTopic::parse, PubsubTopic::toString),
                    "Topic to which messages are published.")
            .required();
    static final ConfigKey<String> ENDPOINT = ConfigKey.of(
                    "endpoint",
                    SERVER,
                    "Server, such as europe-west1-pubsub.googleapis.com:443. Pub/Sub keeps the order of messages"
                            + " published in one region; set it where workers run in several regions.")
            .withDefaultMeaning("pubsub.googleapis.com:443");
    static final ConfigKey<String> EMULATOR_HOST = ConfigKey.of(
                    "emulator-host", SERVER, "Address of an emulator to use instead of Pub/Sub.")
            .withDefaultMeaning("that of %s, if set".formatted(EMULATOR_VARIABLE));
    static final ConfigKey<Path> CREDENTIALS_FILE = ConfigKey.of(
                    "credentials-file",
                    ConfigType.path(),
                    "File with the key of a service account or the configuration of a workload identity, as JSON.")
            .withDefaultMeaning("the application default credentials");
    static final ConfigKey<Boolean> CHECK_TOPIC = ConfigKey.of(
                    "check-topic", ConfigType.flag(), "Whether the existence of the topic is checked at start.")
            .withDefault(true);
    static final ConfigKey<Integer> MAX_REQUESTS = ConfigKey.of(
                    "max-requests",
                    ConfigType.integer(1, 10_000),
                    "Maximum number of requests in flight. A hundred share a connection.")
            .withDefault(100);
    static final ConfigKey<Boolean> COMPRESSION = ConfigKey.of(
                    "compression", ConfigType.flag(), "Whether requests are compressed, with gzip.")
            .withDefault(false);

    private PubsubKeys() {}

    private static String requireHostAndPort(String text) {
        Matcher matcher = HOST_AND_PORT.matcher(text);
        int port = matcher.matches() ? Integer.parseInt(matcher.group("port")) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("expected host:port, such as localhost:8085");
        }
        return text;
    }

    static Optional<String> emulatorOfEnvironment() {
        return Optional.ofNullable(System.getenv(EMULATOR_VARIABLE));
    }

    /**
     * Returns the server. Conflicting settings are refused, so that a process that should use an emulator never reaches
     * the real server by mistake, nor the other way round.
     */
    static Server server(PluginConfig config, Optional<String> emulatorOfEnvironment) {
        Optional<String> endpoint = config.find(ENDPOINT);
        Optional<Path> credentials = config.find(CREDENTIALS_FILE);
        Optional<String> emulator = config.find(EMULATOR_HOST);
        Optional<String> inherited = emulatorOfEnvironment.filter(host -> !host.isBlank());
        if (emulator.isPresent() && (endpoint.isPresent() || credentials.isPresent())) {
            throw new IllegalArgumentException(
                    "emulator-host cannot be combined with endpoint or credentials-file: configure the emulator, or Pub/Sub");
        }
        if (endpoint.isPresent() && inherited.isPresent()) {
            throw new IllegalArgumentException("endpoint is configured, and %s is set to %s: leave out one of them"
                    .formatted(EMULATOR_VARIABLE, inherited.get()));
        }
        return emulator.or(() -> inherited)
                .<Server>map(Server.Emulator::new)
                .orElseGet(() -> new Server.Google(endpoint, credentials));
    }
}

package dev.spream.storage.spanner.connection;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The keys of a connection, which source, storage and outbox share. Those of the storage take the values of the source, unless
 * the storage has settings that cannot be combined with them.
 */
public record SpannerConnectionKeys(
        ConfigKey<String> emulatorHost,
        ConfigKey<String> endpoint,
        ConfigKey<Path> credentialsFile,
        ConfigKey<String> credentialsJson,
        ConfigKey<Integer> channels,
        ConfigKey<Duration> keepAliveTime) {
    public static final Duration MIN_KEEP_ALIVE_TIME = Duration.ofSeconds(10);
    public static final Duration MAX_KEEP_ALIVE_TIME = Duration.ofHours(1);
    public static final int MAX_CHANNELS = 256;

    private static final String EMULATOR_VARIABLE = "SPANNER_EMULATOR_HOST";
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^/\\s]+:(?<port>\\d{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final String EMULATOR_HOST = "emulator-host";
    private static final String ENDPOINT = "endpoint";
    private static final String CREDENTIALS_FILE = "credentials-file";
    private static final String CREDENTIALS_JSON = "credentials-json";
    private static final String OF_SOURCE = "source.spanner.";

    private static final SpannerConnectionKeys PLAIN = new SpannerConnectionKeys(
            ConfigKey.of(EMULATOR_HOST, hostAndPort(), "Address of an emulator to use instead of Spanner."),
            ConfigKey.of(
                    ENDPOINT,
                    new ConfigType<>(Endpoint.FORM, text -> Endpoint.parse(text).toString(), endpoint -> endpoint),
                    "Server, such as a regional or private endpoint; TLS is always used."),
            ConfigKey.of(
                    CREDENTIALS_FILE,
                    ConfigType.path(),
                    "File with the key of a service account or the configuration of a workload identity, as JSON."),
            ConfigKey.of(
                            CREDENTIALS_JSON,
                            new ConfigType<>(
                                    CredentialsJson.FORM, SpannerConnectionKeys::requireCredentials, json -> json),
                            "Credentials as a value, in place of a file, such as ${env:NAME}.")
                    .secret(),
            ConfigKey.of("channels", ConfigType.integer(1, MAX_CHANNELS), "Number of gRPC channels."),
            ConfigKey.of(
                            "keep-alive-time",
                            ConfigType.duration(MIN_KEEP_ALIVE_TIME, MAX_KEEP_ALIVE_TIME),
                            "Time without an answer after which a connection is checked; it counts as dead 3 seconds"
                                    + " later.")
                    .withDefault(MIN_KEEP_ALIVE_TIME));

    /** The keys of the source. */
    public static final SpannerConnectionKeys SOURCE = new SpannerConnectionKeys(
            PLAIN.emulatorHost.withDefaultMeaning("that of %s, if set".formatted(EMULATOR_VARIABLE)),
            PLAIN.endpoint.withDefaultMeaning("spanner.googleapis.com:443"),
            PLAIN.credentialsFile.withDefaultMeaning("the application default credentials"),
            PLAIN.credentialsJson,
            PLAIN.channels.withDefaultMeaning("one for each 100 of max-open-queries, and one more"),
            PLAIN.keepAliveTime);

    /** The keys of the storage. */
    public static final SpannerConnectionKeys STORAGE = new SpannerConnectionKeys(
            PLAIN.emulatorHost.withFallback(OF_SOURCE + EMULATOR_HOST, ENDPOINT, CREDENTIALS_FILE, CREDENTIALS_JSON),
            PLAIN.endpoint.withFallback(OF_SOURCE + ENDPOINT, EMULATOR_HOST),
            PLAIN.credentialsFile.withFallback(OF_SOURCE + CREDENTIALS_FILE, CREDENTIALS_JSON, EMULATOR_HOST),
            PLAIN.credentialsJson.withFallback(OF_SOURCE + CREDENTIALS_JSON, CREDENTIALS_FILE, EMULATOR_HOST),
            PLAIN.channels.withDefault(2),
            PLAIN.keepAliveTime.withFallback(OF_SOURCE + PLAIN.keepAliveTime.name()));

    /** The keys of an outbox, which is configured apart from subscriptions. */
    public static final SpannerConnectionKeys OUTBOX = new SpannerConnectionKeys(
            SOURCE.emulatorHost,
            SOURCE.endpoint,
            SOURCE.credentialsFile,
            SOURCE.credentialsJson,
            PLAIN.channels.withDefault(2),
            PLAIN.keepAliveTime);

    private static String requireCredentials(String json) {
        CredentialsJson.parse(json);
        return json;
    }

    /** Returns a type for a server without a scheme, as in {@code SPANNER_EMULATOR_HOST}. */
    private static ConfigType<String> hostAndPort() {
        return new ConfigType<>("host:port", SpannerConnectionKeys::requireHostAndPort, host -> host);
    }

    private static String requireHostAndPort(String text) {
        Matcher matcher = HOST_AND_PORT.matcher(text);
        int port = matcher.matches() ? Integer.parseInt(matcher.group("port")) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("expected host:port, such as localhost:9010");
        }
        return text;
    }

    /** Returns the emulator of the environment. */
    public static Optional<String> emulatorOfEnvironment() {
        return Optional.ofNullable(System.getenv(EMULATOR_VARIABLE)).filter(host -> !host.isBlank());
    }

    /** Returns all keys, and others before and after them. */
    public List<ConfigKey<?>> between(List<ConfigKey<?>> before, List<ConfigKey<?>> after) {
        List<ConfigKey<?>> own =
                List.of(emulatorHost, endpoint, credentialsFile, credentialsJson, channels, keepAliveTime);
        return Stream.of(before, own, after).flatMap(List::stream).toList();
    }

    /**
     * Returns the settings that contradict each other, so that a process that should use an emulator never reaches the
     * real server by mistake, nor the other way round.
     */
    public List<String> problems(PluginConfig config, Optional<String> inheritedEmulator) {
        List<String> problems = new ArrayList<>();
        boolean file = config.find(credentialsFile).isPresent();
        boolean json = config.find(credentialsJson).isPresent();
        boolean server = config.find(endpoint).isPresent();
        boolean emulator = config.find(emulatorHost).isPresent();
        if (file && json) {
            problems.add("credentials-file and credentials-json are two credentials: remove one of them");
        }
        if (emulator && (file || json || server)) {
            problems.add(
                    "emulator-host cannot be combined with endpoint or credentials: configure the emulator, or Spanner");
        }
        if (inheritedEmulator.isPresent() && (server || file || json)) {
            problems.add("%s, and %s is set to %s: leave out one of them"
                    .formatted(
                            server ? "endpoint is configured" : "credentials are configured",
                            EMULATOR_VARIABLE,
                            inheritedEmulator.get()));
        }
        return problems;
    }
}

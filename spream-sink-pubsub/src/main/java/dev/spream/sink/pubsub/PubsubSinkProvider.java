package dev.spream.sink.pubsub;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.sink.pubsub.PubsubOptions.Server;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The sink {@code pubsub}: each changed row as a message on a topic of Google Cloud Pub/Sub. A record of several rows gives
 * several messages; it is settled when all of them are confirmed.
 *
 * <p>The body is JSON in the shape of the documentation's {@code data_change_record}, with the one row in {@code mods}. The
 * ordering key is the table's name and the primary key as JSON, its columns by name: {@code Orders{"Id":"17"}}. One of more
 * than 1,024 bytes, which is as much as Pub/Sub takes, is {@code sha256/} and the SHA-256 of its UTF-8 bytes in
 * hexadecimal digits instead.
 *
 * <p>Attributes: {@code identity}, the same whenever the message comes again, to recognise it by; {@code table}; {@code
 * mod_type}; {@code commit_timestamp}; {@code server_transaction_id}; {@code record_sequence}; {@code mod_index}, the row's
 * place in the record, from 0; {@code number_of_mods}; {@code partition_token}. Values of more than 1,024 bytes are
 * shortened as an ordering key is.
 *
 * <p>A subscription that is to see the order has to have message ordering enabled. Messages of a key are published one request
 * after the other, and after a failure the key goes on with the change that failed: the history of each key comes at least
 * once, in order.
 *
 * <p>What may pass is tried again for as long as {@code publish-timeout} says, and then goes to the policy of {@code retry},
 * as do a missing topic, and an account that may not publish. What Pub/Sub calls invalid, and a message that is too large for
 * it, is refused for good.
 */
@AutoService(ConsumerProvider.class)
public final class PubsubSinkProvider implements ConsumerProvider {
    private static final String EMULATOR_VARIABLE = "PUBSUB_EMULATOR_HOST";

    private static final ConfigKey<PubsubTopic> TOPIC = ConfigKey.of(
                    "topic", PubsubConfigTypes.topic(), "Where changes are published.")
            .required();
    private static final ConfigKey<String> ENDPOINT = ConfigKey.of(
                    "endpoint",
                    PubsubConfigTypes.hostAndPort(),
                    "The server, such as europe-west1-pubsub.googleapis.com:443. Pub/Sub keeps the order of what is"
                            + " published in one region; name it where workers run in several.")
            .withDefaultMeaning("pubsub.googleapis.com:443");
    private static final ConfigKey<String> EMULATOR_HOST = ConfigKey.of(
                    "emulator-host", PubsubConfigTypes.hostAndPort(), "An emulator to use instead of Pub/Sub.")
            .withDefaultMeaning("that of %s, if set".formatted(EMULATOR_VARIABLE));
    private static final ConfigKey<Path> CREDENTIALS_FILE = ConfigKey.of(
                    "credentials-file",
                    ConfigType.path(),
                    "The key of a service account, or the configuration of a workload identity, as JSON.")
            .withDefaultMeaning("the application default credentials");
    private static final ConfigKey<Boolean> CHECK_TOPIC = ConfigKey.of(
                    "check-topic", ConfigType.flag(), "Whether to look for the topic before anything is read.")
            .withDefault(true);
    private static final ConfigKey<Duration> PUBLISH_TIMEOUT = ConfigKey.of(
                    "publish-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    "How long it may take until a request is confirmed, with all attempts; then the change has failed.")
            .withDefault(Duration.ofMinutes(1));
    private static final ConfigKey<Integer> MAX_REQUESTS = ConfigKey.of(
                    "max-requests",
                    ConfigType.integer(1, 10_000),
                    "How many requests may be on their way at the same time. A hundred share a connection.")
            .withDefault(100);
    private static final ConfigKey<Integer> BATCH_MESSAGES = ConfigKey.of(
                    "batch-messages",
                    ConfigType.integer(1, 1_000),
                    "How many messages of a primary key go into one request at most.")
            .withDefault(1_000);
    private static final ConfigKey<Long> BATCH_BYTES = ConfigKey.of(
                    "batch-bytes",
                    ConfigType.size(1, 9L << 20),
                    "How large such a request may become. A message that is larger has one of its own.")
            .withDefault(1L << 20);
    private static final ConfigKey<Boolean> COMPRESSION = ConfigKey.of(
                    "compression", ConfigType.flag(), "Whether requests are compressed, with gzip.")
            .withDefault(false);

    @Override
    public String name() {
        return "pubsub";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(
                TOPIC,
                ENDPOINT,
                EMULATOR_HOST,
                CREDENTIALS_FILE,
                CHECK_TOPIC,
                PUBLISH_TIMEOUT,
                MAX_REQUESTS,
                BATCH_MESSAGES,
                BATCH_BYTES,
                COMPRESSION);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) throws Exception {
        PubsubSink sink = PubsubSink.open(options(config, Optional.ofNullable(System.getenv(EMULATOR_VARIABLE))));
        try {
            if (config.get(CHECK_TOPIC)) {
                sink.requireTopic();
            }
            return sink;
        } catch (Throwable t) {
            sink.close();
            throw t;
        }
    }

    static PubsubOptions options(PluginConfig config, Optional<String> emulatorOfEnvironment) {
        return new PubsubOptions(
                config.get(TOPIC),
                server(config, emulatorOfEnvironment.filter(host -> !host.isBlank())),
                config.get(PUBLISH_TIMEOUT),
                config.get(MAX_REQUESTS),
                config.get(BATCH_MESSAGES),
                config.get(BATCH_BYTES),
                config.get(COMPRESSION));
    }

    /** One that is told to use an emulator must not reach the real thing by mistake, nor the other way round. */
    private static Server server(PluginConfig config, Optional<String> emulatorOfEnvironment) {
        Optional<String> endpoint = config.find(ENDPOINT);
        Optional<Path> credentials = config.find(CREDENTIALS_FILE);
        Optional<String> emulator = config.find(EMULATOR_HOST);
        if (emulator.isPresent() && (endpoint.isPresent() || credentials.isPresent())) {
            throw new IllegalArgumentException(
                    "emulator-host cannot be combined with endpoint or credentials-file: configure the emulator, or Pub/Sub");
        }
        if (endpoint.isPresent() && emulatorOfEnvironment.isPresent()) {
            throw new IllegalArgumentException("endpoint is configured, and %s is set to %s: leave out one of them"
                    .formatted(EMULATOR_VARIABLE, emulatorOfEnvironment.get()));
        }
        return emulator.or(() -> emulatorOfEnvironment)
                .<Server>map(Server.Emulator::new)
                .orElseGet(() -> new Server.Google(endpoint, credentials));
    }
}

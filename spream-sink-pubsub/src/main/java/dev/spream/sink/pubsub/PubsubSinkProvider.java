package dev.spream.sink.pubsub;

import com.google.auto.service.AutoService;
import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The sink {@code pubsub}: each changed row as a message on a topic of Google Cloud Pub/Sub. A record of several rows gives
 * several messages; it is settled when all of them are confirmed.
 *
 * <p>The body is JSON in the shape of the documentation's {@code data_change_record}, with the one row in {@code mods},
 * unless another {@code format} is configured.
 * The ordering key is the table's name and the primary key as JSON, its columns by name: {@code Orders/{"Id":"17"}}. A
 * key of more than 1,024 bytes, the limit of Pub/Sub, is replaced by {@code sha256/} and the SHA-256 of its UTF-8 bytes
 * in hexadecimal digits.
 *
 * <p>Attributes: {@code identity}, by which a repeated message is recognised; {@code table}; {@code mod_type}; {@code
 * commit_timestamp}; {@code server_transaction_id}; {@code record_sequence}; {@code mod_index}, the row's place in the
 * record, from 0; {@code number_of_mods}; {@code partition_token}; {@code content-type}, with another format than {@code
 * record}. Values of more than 1,024 bytes are shortened as an
 * ordering key is.
 *
 * <p>For ordered delivery, a subscription must have message ordering enabled. Messages of a key are published one
 * request after the other, and after a failure the key continues with the change that failed: the history of each key
 * is published at least once, in order.
 *
 * <p>Temporary failures are retried for {@code publish-timeout}; afterwards the policy of {@code retry} applies, as it
 * does to a missing topic and to an account that may not publish. Messages that Pub/Sub refuses as invalid, or that are
 * too large, fail permanently.
 */
@AutoService(ConsumerProvider.class)
public final class PubsubSinkProvider implements ConsumerProvider {
    private static final ConfigKey<Duration> PUBLISH_TIMEOUT = ConfigKey.of(
                    "publish-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    "Time limit until a request is confirmed, retries included; past it the change has failed.")
            .withDefault(Duration.ofMinutes(1));
    private static final ConfigKey<Integer> BATCH_MESSAGES = ConfigKey.of(
                    "batch-messages",
                    ConfigType.integer(1, 1_000),
                    "Maximum number of messages of one primary key in a request.")
            .withDefault(1_000);
    private static final ConfigKey<Long> BATCH_BYTES = ConfigKey.of(
                    "batch-bytes",
                    ConfigType.size(1, 9L << 20),
                    "Maximum size of a request. A larger message is sent in a request of its own.")
            .withDefault(1L << 20);

    @Override
    public String name() {
        return "pubsub";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(
                        Stream.of(
                                PubsubKeys.TOPIC,
                                PubsubKeys.ENDPOINT,
                                PubsubKeys.EMULATOR_HOST,
                                PubsubKeys.CREDENTIALS_FILE,
                                PubsubKeys.CHECK_TOPIC,
                                PUBLISH_TIMEOUT,
                                PubsubKeys.MAX_REQUESTS,
                                BATCH_MESSAGES,
                                BATCH_BYTES,
                                PubsubKeys.COMPRESSION),
                        ConfiguredFormat.keys().stream())
                .toList();
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return ConfiguredFormat.problems(config);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) throws Exception {
        ChangeMessages messages = new ChangeMessages(ConfiguredFormat.ofRows(config, context));
        return new PubsubSink(TopicCheck.open(config, options(config, PubsubKeys.emulatorOfEnvironment())), messages);
    }

    static PubsubOptions options(PluginConfig config, Optional<String> emulatorOfEnvironment) {
        return new PubsubOptions(
                PubsubOptions.Use.SINK,
                config.get(PubsubKeys.TOPIC),
                PubsubKeys.server(config, emulatorOfEnvironment),
                config.get(PUBLISH_TIMEOUT),
                config.get(PubsubKeys.MAX_REQUESTS),
                config.get(BATCH_MESSAGES),
                config.get(BATCH_BYTES),
                config.get(PubsubKeys.COMPRESSION));
    }
}

package dev.spream.sink.kafka;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxSender.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The sender {@code kafka}: each entry of an outbox as a message on a topic of Apache Kafka. The value is the payload; the
 * key is the ordering key of the entry, if it has one.
 *
 * <p>Headers: {@code idempotency-key}; {@code generation}, 1, and one more each time the entry was requeued after it had
 * been aborted; {@code entry-id}, greater than those of earlier entries of the ordering key; {@code created-at}; and, if
 * the entry has them, {@code payload-type}, {@code destination} and {@code traceparent}.
 *
 * <p>Kafka stores a message that is published twice as two messages. So an entry has one effect only if consumers
 * recognise a repeated message by key and generation; the guarantee {@code neither} is for consumers that do not: an entry
 * that may have been published is then parked. The client repeats requests within {@code publish-timeout}, which gives no
 * second message.
 *
 * <table>
 * <caption>What an attempt becomes</caption>
 * <tr><th>answer</th><th>outcome</th><th>reason</th></tr>
 * <tr><td>confirmed</td><td>succeeded; the ledger keeps topic, partition and offset</td><td></td></tr>
 * <tr><td>too large, or invalid</td><td>permanent</td><td>INVALID_REQUEST</td></tr>
 * <tr><td>no right to write, credentials refused before the message left</td><td>retryable: an operator fixes it</td>
 *     <td>UNAUTHORIZED</td></tr>
 * <tr><td>no such topic, no broker, no memory before the message left</td><td>retryable: nothing left</td>
 *     <td>UNAVAILABLE</td></tr>
 * <tr><td>no answer in time</td><td>unknown</td><td>TIMEOUT</td></tr>
 * <tr><td>any other</td><td>unknown</td><td>OUTCOME_UNKNOWN</td></tr>
 * </table>
 */
@AutoService(OutboxSenderProvider.class)
public final class KafkaSenderProvider implements OutboxSenderProvider {
    private static final String NEITHER = "neither";
    private static final String IDEMPOTENT = "idempotent";

    private static final ConfigKey<String> TOPIC = ConfigKey.of(
                    "topic",
                    new ConfigType<>("topic", TopicName::require, topic -> topic),
                    "Topic to which messages are published.")
            .required();
    private static final ConfigKey<Duration> PUBLISH_TIMEOUT =
            KafkaKeys.PUBLISH_TIMEOUT.withDefault(Duration.ofSeconds(10));
    private static final ConfigKey<Boolean> ORDERING = ConfigKey.of(
                    "ordering",
                    ConfigType.flag(),
                    "Whether the ordering key of an entry becomes the key of its message, and so chooses its partition.")
            .withDefault(true);
    private static final ConfigKey<String> GUARANTEE = ConfigKey.of(
                    "guarantee",
                    ConfigType.name(List.of(IDEMPOTENT, NEITHER)),
                    "Guarantee of the consumers for a message that arrives twice: idempotent, one effect per"
                            + " idempotency-key and generation; neither, two effects, and an operator decides when the"
                            + " outcome of publishing is unknown.")
            .withDefault(IDEMPOTENT);

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return KafkaKeys.with(
                List.of(),
                KafkaKeys.BOOTSTRAP_SERVERS,
                TOPIC,
                GUARANTEE,
                ORDERING,
                KafkaKeys.PARTITIONS,
                PUBLISH_TIMEOUT,
                KafkaKeys.START_TIMEOUT,
                KafkaKeys.CHECK_TOPIC);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return KafkaKeys.problems(config);
    }

    @Override
    public OutboxSender create(PluginConfig config, PluginContext context) throws Exception {
        KafkaOptions options = KafkaKeys.options("sender.kafka", config, context);
        String topic = config.get(TOPIC);
        OptionalInt count =
                config.find(KafkaKeys.PARTITIONS).map(OptionalInt::of).orElseGet(OptionalInt::empty);
        Partitions partitions = new Partitions(count, options.key("partitions"));
        new StartCheck(options, Optional.of(topic), partitions).run();
        return new KafkaSender(
                SharedProducer.open(options),
                topic,
                partitions,
                config.get(GUARANTEE).equals(NEITHER) ? Guarantee.NEITHER : Guarantee.IDEMPOTENT,
                config.get(ORDERING));
    }
}

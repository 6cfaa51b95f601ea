package dev.spream.sink.kafka;

import com.google.auto.service.AutoService;
import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The sink {@code kafka}: each changed row as a message on a topic of Apache Kafka. A record of several rows gives several
 * messages; it is settled when all of them are confirmed by all in-sync replicas.
 *
 * <p>The key is the primary key as JSON, its columns by name: {@code {"Id":"17"}}. The value is JSON in the shape of the
 * documentation's {@code data_change_record}, with the one row in {@code mods}. Another {@code format} has a key and a
 * value of its own, and may have a message without a value, a tombstone, for a deleted row.
 *
 * <p>Headers: {@code identity}, by which a repeated message is recognised; {@code database} and {@code stream}, if they are
 * configured; {@code table}; {@code mod_type}; {@code commit_timestamp}; {@code server_transaction_id}; {@code
 * record_sequence}; {@code mod_index}, the row's place in the record, from 0; {@code number_of_mods}; {@code
 * transaction_tag}; {@code partition_token}; {@code lease_epoch}, the epoch of the change stream partition's lease, 0 for a
 * replayed dead letter; {@code content-type}, with another format than {@code record}.
 *
 * <p>The messages of a key are sent one after the other, and after a failure the key continues with the change that
 * failed: the history of each key is published at least once, in order. With {@code transactional-id}, a batch of changes
 * is published in one transaction, and consumers of committed messages read all of it or nothing.
 *
 * <p>Temporary failures are retried for {@code publish-timeout}; afterwards the policy of {@code retry} applies, as it does
 * to a missing topic, a missing right and rejected credentials. Messages that Kafka refuses as invalid, or that are too
 * large, fail permanently.
 */
@AutoService(ConsumerProvider.class)
public final class KafkaSinkProvider implements ConsumerProvider {
    private static final int MAX_TRANSACTIONS = 100;

    private static final ConfigKey<TopicTemplate> TOPIC = ConfigKey.of(
                    "topic",
                    new ConfigType<>("topic", TopicTemplate::parse, TopicTemplate::toString),
                    "Topic, with {table}, {schema}, {database} and {stream} for names of the change, such as"
                            + " orders.{table}.")
            .required();
    private static final ConfigKey<String> TRANSACTIONAL_ID = ConfigKey.of(
            "transactional-id",
            ConfigType.text(),
            "Publishes each batch in a transaction. Different for each worker, and the same when it starts again.");
    private static final ConfigKey<Integer> TRANSACTIONS = ConfigKey.of(
                    "transactions",
                    ConfigType.integer(1, MAX_TRANSACTIONS),
                    "Maximum number of open transactions of this worker, each with a producer of its own, whose id is the"
                            + " transactional-id, a hyphen and a number from 0.")
            .withDefault(4);

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return KafkaKeys.with(
                ConfiguredFormat.keys(),
                KafkaKeys.BOOTSTRAP_SERVERS,
                TOPIC,
                KafkaKeys.PARTITIONS,
                KafkaKeys.PUBLISH_TIMEOUT,
                KafkaKeys.START_TIMEOUT,
                KafkaKeys.CHECK_TOPIC,
                TRANSACTIONAL_ID,
                TRANSACTIONS);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return Stream.concat(KafkaKeys.problems(config).stream(), ConfiguredFormat.problems(config).stream())
                .toList();
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) throws Exception {
        Optional<String> database = ConfiguredFormat.database(config);
        Optional<String> stream = ConfiguredFormat.stream(config);
        TopicTemplate topics = config.get(TOPIC).of(database, stream);
        OptionalInt count =
                config.find(KafkaKeys.PARTITIONS).map(OptionalInt::of).orElseGet(OptionalInt::empty);
        KafkaOptions options = KafkaKeys.options("sink.kafka", config, context);
        Partitions partitions = new Partitions(count, options.key("partitions"));
        new StartCheck(options, topics.onlyTopic(), partitions).run();
        RowMessages messages = new RowMessages(topics, database, stream, ConfiguredFormat.ofRows(config, context));
        Optional<String> transactionalId = config.find(TRANSACTIONAL_ID);
        if (transactionalId.isEmpty()) {
            return new KafkaSink(SharedProducer.open(options), partitions, messages);
        }
        boolean replays = context.storedSubscription().isEmpty();
        String id =
                transactionalId.get() + (replays ? "-replay" : ""); // beside the worker, which the same id would fence
        return new TransactionalSink(TransactionPool.open(options, id, config.get(TRANSACTIONS), partitions), messages);
    }
}

package dev.spream.interop.debezium;

import io.debezium.connector.spanner.SpannerConnector;
import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.MemoryOffsetBackingStore;

/**
 * Reads a change stream of an emulator with Debezium's connector in Debezium's embedded engine, with a Kafka broker in the
 * same process, which the connector needs for its own topics. It runs until it is killed.
 *
 * <p>Arguments are {@code name=value}: {@code host}, {@code project}, {@code instance}, {@code database}, {@code
 * stream}, {@code start} and {@code receipts}, the file of {@link Receipts}, beside which
 * Kafka has its folder. The key of a row is its {@code Id}, a number.
 */
public final class DebeziumReader {
    private DebeziumReader() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> arguments = Arrays.stream(args)
                .map(arg -> arg.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        Path file = Path.of(arguments.get("receipts"));
        Receipts receipts = new Receipts(file);
        String broker = KafkaBroker.start(Files.createDirectory(file.resolveSibling(file.getFileName() + "-kafka")));
        try (DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine = DebeziumEngine.create(Connect.class)
                .using(settings(arguments, broker))
                .using((success, message, failure) -> System.err.printf("the engine ended: %s %s%n", message, failure))
                .notifying(event -> {
                    if (event.value().key() instanceof Struct key
                            && key.schema().field("Id") != null) {
                        receipts.consumed(key.getInt64("Id"));
                    }
                })
                .build()) {
            engine.run();
        }
        System.exit(1);
    }

    private static Properties settings(Map<String, String> arguments, String broker) {
        Properties settings = new Properties();
        settings.put("name", "debezium");
        settings.put("connector.class", SpannerConnector.class.getName());
        settings.put("topic.prefix", "debezium");
        settings.put("offset.storage", MemoryOffsetBackingStore.class.getName());
        settings.put("connector.spanner.sync.kafka.bootstrap.servers", broker);
        settings.put("gcp.spanner.emulator.host", "http://" + arguments.get("host"));
        settings.put("gcp.spanner.project.id", arguments.get("project"));
        settings.put("gcp.spanner.instance.id", arguments.get("instance"));
        settings.put("gcp.spanner.database.id", arguments.get("database"));
        settings.put("gcp.spanner.change.stream", arguments.get("stream"));
        settings.put("gcp.spanner.start.time", arguments.get("start"));
        settings.put("tasks.min", "1");
        settings.put("tasks.max", "1");
        // A partition ends, and its children begin, when its offsets have been committed: at once and not each minute.
        settings.put("offset.flush.interval.ms", "0");
        settings.put("poll.interval.ms", "1");
        return settings;
    }
}

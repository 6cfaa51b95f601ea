package dev.spream.interop.debezium;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

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
        Map<String, String> arguments = ConnectorSettings.arguments(args);
        Path file = Path.of(arguments.get("receipts"));
        Receipts receipts = new Receipts(file);
        String broker = KafkaBroker.start(Files.createDirectory(file.resolveSibling(file.getFileName() + "-kafka")));
        try (DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine = DebeziumEngine.create(Connect.class)
                .using(ConnectorSettings.of(arguments, broker))
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
}

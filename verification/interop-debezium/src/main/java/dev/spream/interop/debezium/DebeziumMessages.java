package dev.spream.interop.debezium;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads a change stream of an emulator with Debezium's connector, and prints its messages as Kafka Connect's converter
 * writes them: a line with the topic, the key and the value, separated by tabs; {@code null} where there is no value. It
 * runs until it is killed.
 *
 * <p>Arguments are those of {@link DebeziumReader}, with {@code folder}, the folder of Kafka, in place of the receipts.
 */
public final class DebeziumMessages {
    private DebeziumMessages() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> arguments = ConnectorSettings.arguments(args);
        String broker = KafkaBroker.start(Path.of(arguments.get("folder")));
        try (DebeziumEngine<ChangeEvent<String, String>> engine = DebeziumEngine.create(Json.class)
                .using(ConnectorSettings.of(arguments, broker))
                .using((success, message, failure) -> System.err.printf("the engine ended: %s %s%n", message, failure))
                .notifying(event -> System.out.println(
                        String.join("\t", event.destination(), event.key(), String.valueOf(event.value()))))
                .build()) {
            engine.run();
        }
        System.exit(1);
    }
}

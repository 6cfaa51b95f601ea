package dev.spream.interop.debezium;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads a change stream of an emulator with Debezium's connector, and writes its messages to a file as Kafka Connect's
 * converter makes them: a line with the topic, the key and the value, separated by tabs; {@code null} where there is no
 * value. It runs until it is killed.
 *
 * <p>Arguments are those of {@link DebeziumReader}, with {@code messages}, the file, in place of the receipts.
 */
public final class DebeziumMessages {
    private DebeziumMessages() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> arguments = ConnectorSettings.arguments(args);
        Path file = Path.of(arguments.get("messages"));
        String broker = KafkaBroker.start(Files.createDirectory(file.resolveSibling(file.getFileName() + "-kafka")));
        try (Writer lines = Files.newBufferedWriter(file);
                DebeziumEngine<ChangeEvent<String, String>> engine = DebeziumEngine.create(Json.class)
                        .using(ConnectorSettings.of(arguments, broker))
                        .using((success, message, failure) ->
                                System.err.printf("the engine ended: %s %s%n", message, failure))
                        .notifying(event -> write(lines, event))
                        .build()) {
            engine.run();
        }
        System.exit(1);
    }

    private static void write(Writer lines, ChangeEvent<String, String> event) {
        try {
            lines.write(String.join("\t", event.destination(), event.key(), String.valueOf(event.value())) + "\n");
            lines.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

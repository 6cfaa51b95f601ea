package dev.spream.examples;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.record.DataChangeRecord;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A program with its own consumer; source, storage and all options are in a file. */
public final class ConfiguredExample {
    private ConfiguredExample() {}

    /** {@code ConfiguredExample [spream.properties]}. */
    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: ConfiguredExample <file>");
            System.exit(2);
        }
        run(SpreamConfig.load(Path.of(args[0])), change -> System.out.println(change.toJson()));
        System.exit(0); // threads of the client library may linger
    }

    static void run(SpreamConfig config, Consumer<DataChangeRecord> index) {
        try (var spream =
                Spream.builder(config).consumer(change -> index.accept(change)).build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(spream::shutdown));
            spream.run();
        }
    }
}

package dev.spream.sink.s3;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.SpreamException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** A worker process of a test, which runs a configured subscription until it is told to end. */
final class FilesWorker {
    private static final int STARTS = 5;

    private FilesWorker() {}

    /** @param args the file of the configuration, and the name of the worker */
    public static void main(String[] args) throws IOException {
        SpreamConfig config = config(Path.of(args[0]), args[1]);
        for (int start = 1; !run(config, start < STARTS); start++) {}
    }

    static SpreamConfig config(Path file, String worker) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        Map<String, String> config = new HashMap<>();
        properties.stringPropertyNames().forEach(key -> config.put(key, properties.getProperty(key)));
        config.put("worker", worker);
        return SpreamConfig.of(config);
    }

    /** Returns false if a server did not answer at the start, as on a machine with much other work. */
    private static boolean run(SpreamConfig config, boolean mayFail) {
        try (Spream spream = Spream.create(config)) {
            Runtime.getRuntime().addShutdownHook(new Thread(spream::shutdown));
            spream.run();
            return true;
        } catch (SpreamException e) {
            if (mayFail && String.valueOf(e.getMessage()).contains("could not be opened")) {
                return false;
            }
            throw e;
        }
    }
}

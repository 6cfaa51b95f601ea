package dev.spream.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * The program of the process: a broker that is its own controller. It ends with its standard input, and so with the
 * process that started it.
 */
final class KafkaProcess {
    static final String READY = "ready";

    private KafkaProcess() {}

    /**
     * Runs a broker until the standard input ends.
     *
     * @param arguments the file of settings
     */
    public static void main(String... arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        Properties settings = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            settings.load(reader);
        }
        if (!Files.exists(Path.of(settings.getProperty("log.dirs"), "meta.properties"))) {
            format(file, settings);
        }
        new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM).startup();
        System.out.println(READY);
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(0);
    }

    private static void format(Path file, Properties settings) throws IOException {
        String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
        if (StorageTool.execute(format, new PrintStream(OutputStream.nullOutputStream())) != 0) {
            throw new IOException("Kafka did not format " + settings.getProperty("log.dirs"));
        }
    }
}

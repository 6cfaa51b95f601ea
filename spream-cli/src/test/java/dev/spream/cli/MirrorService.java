package dev.spream.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The service {@code run} that keeps a mirror in PostgreSQL and its partitions beside it, in several processes. */
final class MirrorService {
    private static final String LEASE = System.getProperty("fleet.lease", "2s");

    private MirrorService() {}

    /** Writes its configuration, with those settings besides, and returns the file. */
    static Path configure(Path folder, String database, String stream, String emulatorHost, String url, String more)
            throws IOException {
        return Files.writeString(folder.resolve("spream.properties"), """
                source.spanner.database=%s
                source.spanner.stream=%s
                source.spanner.emulator-host=%s
                storage=jdbc
                storage.jdbc.url=%s
                sink=jdbc
                sink.jdbc.url=%s
                sink.jdbc.schema=%s
                sink.jdbc.create-tables=true
                max-inflight=64
                heartbeat-interval=200ms
                lease-time=%s
                watermark-interval=200ms
                partition-discovery-interval=200ms
                %s
                """.formatted(
                        database, stream, emulatorHost, url, url, MirrorAudit.SCHEMA, LEASE, more));
    }

    /** Returns the command of a process of that name, with those flags besides. */
    static List<String> command(Path configuration, String name, String... flags) {
        List<String> command = new ArrayList<>(SpreamProcess.command());
        command.add(1, "-Xmx256m");
        command.addAll(List.of("run", "--config", configuration.toString(), "--worker=" + name));
        command.addAll(List.of(flags));
        return command;
    }
}

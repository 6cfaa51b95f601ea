package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ModType;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tail} with a sink of a configuration. */
final class TailSinkIT {
    private final SpannerServer server = SpannerServers.ours();
    private final DatabaseId database = ItemWriter.database(server);
    private final Instant created = Instant.now();

    @TempDir
    private Path folder;

    @Test
    void a_sink_gets_the_changes_and_flags_win_over_the_file() throws Exception {
        Path config = Files.writeString(folder.resolve("spream.properties"), """
                source.spanner.database=%s
                source.spanner.stream=Chances
                source.spanner.emulator-host=%s
                sink=log
                sink.jsonl.path=%s
                storage=jdbc
                storage.jdbc.url=jdbc:postgresql://nowhere.invalid/workers
                filter.mod-types=delete
                """.formatted(
                        database.getName(), server.emulatorHost(), folder.resolve("of-the-file.jsonl")));
        Path changes = folder.resolve("changes.jsonl");
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess tail = SpreamProcess.spream(
                        "tail",
                        "--config",
                        config.toString(),
                        "--sink",
                        "jsonl",
                        "--sink.jsonl.path=" + changes,
                        "-s",
                        "Changes",
                        "--mod-types",
                        "insert",
                        "--start",
                        created.toString(),
                        "--end",
                        "+2s")) {
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
            writer.stop();
            assertThat(tail.out()).isEmpty();
            assertThat(tail.err().getLast())
                    .contains(" tail: ", " records delivered")
                    .endsWith("ended by the end timestamp");
        }
        assertThat(Files.readAllLines(changes))
                .isNotEmpty()
                .allSatisfy(
                        line -> assertThat(ChangeRecordJson.readDataChange(line).modType())
                                .isEqualTo(ModType.INSERT));
        assertThat(folder.resolve("of-the-file.jsonl")).doesNotExist();
    }

    @Test
    void a_storage_in_memory_does_not_write_into_the_log_of_a_service() throws Exception {
        Path lake = Files.createDirectories(folder.resolve("lake"));
        Path config = Files.writeString(
                folder.resolve("service.properties"),
                "sink=files%nsink.files.folder=%s%nstorage=jdbc%non-failure=dead-letter%n".formatted(lake));
        try (SpreamProcess tail = SpreamProcess.spreamOn(
                server.emulatorHost(),
                "tail",
                "--config",
                config.toString(),
                "-d",
                database.getName(),
                "-s",
                "Changes",
                "--end",
                "+1s",
                "--sink",
                "files")) {
            assertThat(tail.exitCode()).as("%s", tail.err()).isEqualTo(2);
            assertThat(String.join("\n", tail.err())).contains("storage is memory, but the sink files");
        }
        assertThat(lake).isEmptyDirectory();
    }

    @Test
    void a_sink_is_found_in_a_folder_of_plug_ins() throws Exception {
        Path own = Files.createDirectories(folder.resolve("plugins/versions-sink"));
        Path gson = Files.copy(Path.of("target/libraries-of-plugins/gson-2.8.9.jar"), own.resolve("gson-2.8.9.jar"));
        PluginProject.pack(Path.of("src/test/plugins/versions-sink"), own.resolve("versions-sink.jar"), List.of(gson));
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess tail = SpreamProcess.spreamOn(
                        server.emulatorHost(),
                        "tail",
                        "-d",
                        database.getName(),
                        "-s",
                        "Changes",
                        "--start",
                        created.toString(),
                        "--plugins",
                        folder.resolve("plugins").toString(),
                        "--sink",
                        "versions")) {
            assertThat(tail.awaitOut(5)).allMatch(line -> line.contains("\"gson\":\"2.8.9\""));
            writer.stop();
            tail.terminate();
            assertThat(tail.exitCode()).as("%s", tail.err()).isZero();
        }
    }
}

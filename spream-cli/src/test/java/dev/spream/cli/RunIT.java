package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.testkit.plugin.PluginJar;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service as a user runs it: a process, a configuration file and plug-ins that were dropped into a folder. */
final class RunIT {
    private static final Path EXAMPLES = Path.of("../spream-examples/plugin-projects");
    private static final Path OWN_PLUGINS = Path.of("src/test/plugins");
    private static final Path LIBRARIES = Path.of("target/libraries-of-plugins");
    private static final Pattern KEY = Pattern.compile("Id\\D*(\\d+)");

    private final SpannerServer server = SpannerServers.ours();
    private final DatabaseId database = ItemWriter.database(server);
    private final Instant created = Instant.now();

    @TempDir
    private Path folder;

    @Test
    void a_sink_and_a_storage_from_a_folder_work_together_each_with_a_library_of_its_own() throws Exception {
        dropSink();
        dropStorage();
        try (ItemWriter writer = new ItemWriter(server, database)) {
            Path file = configure("""
                    storage=vault
                    storage.vault.url=%s
                    sink=versions
                    start=%s
                    max-inflight=16
                    """.formatted(PostgresDatabase.create().jdbcUrl(), created));
            Set<Long> delivered;
            try (SpreamProcess first = run(file)) {
                first.awaitOut(50);
                delivered = drained(first);
                assertThat(first.out()).allMatch(line -> line.contains("\"gson\":\"2.8.9\""));
                assertThat(first.err())
                        .anyMatch(line -> line.contains("the storage sees gson 2.10.1")
                                && line.contains("plugins/vault-storage/spream-storage-jdbc"))
                        .anyMatch(line -> line.contains("runs with source spanner, storage vault, sink versions"));
            }
            try (SpreamProcess second = run(file)) {
                second.awaitOut(50);
                long written = writer.stop();
                awaitDelivered(written, delivered, second);
                Set<Long> continued = drained(second);
                assertThat(second.err().getLast()).containsPattern("resumed [1-9]");
                delivered.removeAll(continued);
                assertThat(delivered)
                        .as("what only the first run delivered: of each partition, all but its last changes")
                        .isNotEmpty();
            }
        }
    }

    @Test
    void the_configuration_of_the_readme_runs_where_it_is_told_to() throws Exception {
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess run = SpreamProcess.spreamOn(
                        server.emulatorHost(),
                        "run",
                        "--config=../spream-examples/spream.properties",
                        "--source.spanner.database=" + database.getName(),
                        "--source.spanner.stream=Changes",
                        "--storage.jdbc.url=" + PostgresDatabase.create().jdbcUrl(),
                        "--storage.jdbc.user=postgres",
                        "--storage.jdbc.password=${env:PATH}", // any will do
                        "--sink.jsonl.path=" + folder.resolve("changes.jsonl"),
                        "--dead-letters.jsonl.path=" + folder.resolve("letters.jsonl"),
                        "--start=" + created,
                        "--end=+3s")) {
            assertThat(run.exitCode()).as("%s", run.err()).isZero();
            assertThat(writer.stop()).isPositive();
            assertThat(run.err().getLast()).endsWith("ended by the end timestamp");
            assertThat(Files.readAllLines(folder.resolve("changes.jsonl")))
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(
                                    ChangeRecordJson.readDataChange(line).tableName())
                            .isEqualTo("Items"));
        }
    }

    @Test
    void a_sink_gets_the_rows_of_a_snapshot_as_inserts_and_then_the_changes() throws Exception {
        Path file = configure("""
                storage=memory
                sink=jsonl
                sink.jsonl.path=%s
                """.formatted(folder.resolve("changes.jsonl")));
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess run =
                        SpreamProcess.spream("run", "--config", file.toString(), "--snapshot", "--end=+5s")) {
            assertThat(run.exitCode()).as("%s", run.err()).isZero();
            writer.stop();
        }

        List<DataChangeRecord> delivered = Files.readAllLines(folder.resolve("changes.jsonl")).stream()
                .map(ChangeRecordJson::readDataChange)
                .toList();
        List<DataChangeRecord> rows = delivered.stream()
                .takeWhile(change -> change.serverTransactionId().startsWith("snapshot:Items:"))
                .toList();
        assertThat(rows).isNotEmpty();
        Instant at = rows.getFirst().commitTimestamp();
        assertThat(rows).extracting(DataChangeRecord::commitTimestamp).containsOnly(at);
        assertThat(delivered.subList(rows.size(), delivered.size()))
                .isNotEmpty()
                .allSatisfy(change -> assertThat(change.commitTimestamp()).isAfter(at));
        assertThat(delivered).extracting(DataChangeRecord::modTypeName).containsOnly("INSERT");
        assertThat(delivered)
                .extracting(
                        change -> change.mods().getFirst().keys().string("Id").orElseThrow())
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, delivered.size())
                        .mapToObj(Integer::toString)
                        .toList());
    }

    @Test
    @Tag("proof")
    void a_start_in_the_future_is_waited_for_with_a_word() throws Exception {
        Path file = configure("""
                storage=memory
                sink=jsonl
                sink.jsonl.path=%s
                start=+1h
                """.formatted(folder.resolve("changes.jsonl")));
        try (SpreamProcess run = SpreamProcess.spream("run", "--config", file.toString())) {
            assertThat(run.awaitErr(3).getLast()).contains(" run: the start is in the future: waiting until ");
            run.terminate();
            assertThat(run.exitCode()).as("%s", run.err()).isZero();
        }
    }

    @Test
    void the_examples_run_as_they_are() throws Exception {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        PluginProject.pack(EXAMPLES.resolve("shout-sink"), plugins.resolve("shout-sink.jar"), List.of());
        PluginProject.pack(EXAMPLES.resolve("timed-storage"), plugins.resolve("timed-storage.jar"), List.of());
        Path file = configure("""
                storage=timed
                storage.timed.slow=0s
                sink=shout
                """);
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess run = run(file)) {
            assertThat(run.awaitOut(5)).allMatch(line -> line.endsWith("!"));
            writer.stop();
            run.terminate();
            assertThat(run.exitCode()).as("%s", run.err()).isZero();
            assertThat(run.err())
                    .anyMatch(line -> line.contains(
                            "loading plug-ins from %s: shout-sink.jar, timed-storage.jar".formatted(plugins)))
                    .anyMatch(line -> line.contains("TimedStorageProvider [Changes] frontierSince took "));
        }
    }

    @Test
    void a_password_that_a_plugin_quotes_leaves_neither_by_standard_error_nor_by_http() throws Exception {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        PluginProject.pack(OWN_PLUGINS.resolve("telltale"), plugins.resolve("telltale.jar"), List.of());
        Path password = Files.writeString(folder.resolve("password"), "c0rrecthorse\n");
        Path file = configure("""
                storage=telltale
                storage.telltale.password=${file:%s}
                sink=telltale
                sink.telltale.password=${file:%s}
                start=%s
                http=0
                """.formatted(password, password, created));
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess run = run(file);
                HttpClient client = HttpClient.newHttpClient()) {
            List<String> err = run.err();
            while (err.stream().noneMatch(line -> line.contains("consumer failed on"))) {
                err = run.awaitErr(err.size() + 1);
            }
            Matcher page = Pattern.compile("http://\\S+:\\d+").matcher(String.join("\n", err));
            assertThat(page.find()).as("%s", err).isTrue();
            String json = client.send(
                            HttpRequest.newBuilder(URI.create(page.group() + "/api/subscription"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            assertThat(json).contains("storage refused ********").doesNotContain("c0rrecthorse", "Jane");
            assertThat(err).anyMatch(line -> line.contains("sink refused ********"));
            assertThat(run.err()).noneMatch(line -> line.contains("c0rrecthorse") || line.contains("Jane"));
            writer.stop();
        }
    }

    @Test
    void the_same_jar_twice_is_named_with_both_places() throws Exception {
        Path plugins = dropSink();
        Files.createDirectory(plugins.resolve("again"));
        try (Stream<Path> jars = Files.list(plugins.resolve("versions-sink"))) {
            for (Path jar : jars.toList()) {
                Files.copy(jar, plugins.resolve("again").resolve(jar.getFileName()));
            }
        }
        assertThat(refused("sink=versions"))
                .anyMatch(line -> line.contains("sink versions exists 2 times")
                        && line.contains("again")
                        && line.contains("versions-sink"));
    }

    @Test
    void a_broken_jar_is_named() throws Exception {
        Path plugins = dropSink();
        Files.writeString(plugins.resolve("broken.jar"), "no jar at all");
        assertThat(refused("sink=versions"))
                .anyMatch(line -> line.contains("broken.jar: the jar is corrupt") && line.contains("copy it again"));
    }

    @Test
    void a_jar_without_a_provider_and_a_folder_without_a_jar_are_named() throws Exception {
        Path plugins = dropSink();
        Files.copy(LIBRARIES.resolve("gson-2.8.9.jar"), plugins.resolve("gson-2.8.9.jar"));
        Files.createDirectory(plugins.resolve("empty"));
        assertThat(refused("sink=versions"))
                .anyMatch(line -> line.contains("gson-2.8.9.jar: contains no plug-in"))
                .anyMatch(line -> line.contains("empty: there is no jar directly in this folder"));
    }

    @Test
    void a_provider_without_a_name_and_one_that_is_not_there_are_named() throws Exception {
        Path plugins = dropSink();
        PluginJar.empty()
                .source("com.example.Nameless", """
                        package com.example;

                        import dev.spream.api.spi.*;
                        import dev.spream.core.consume.Consumer;

                        public final class Nameless implements ConsumerProvider {
                            public String name() {
                                return "";
                            }

                            public Consumer create(PluginConfig config, PluginContext context) {
                                throw new UnsupportedOperationException();
                            }
                        }
                        """)
                .service(ConsumerProvider.class, "com.example.Nameless")
                .writeTo(plugins.resolve("nameless.jar"));
        PluginJar.empty()
                .service(ConsumerProvider.class, "com.example.Forgotten")
                .writeTo(plugins.resolve("forgotten.jar"));
        assertThat(refused("sink=versions"))
                .anyMatch(line -> line.contains("nameless.jar: com.example.Nameless has the invalid name ''"))
                .anyMatch(line -> line.contains("forgotten.jar: com.example.Forgotten is named in META-INF/services/")
                        && line.contains("but does not exist"));
    }

    @Test
    void a_plugin_that_is_missing_is_named_beside_those_that_are_there() throws Exception {
        dropSink();
        assertThat(refused("sink=version"))
                .anyMatch(line -> line.contains("spream.properties:")
                        && line.contains("did you mean versions?")
                        && line.contains("stdout"));
    }

    private Path dropSink() throws IOException {
        Path plugins = folder.resolve("plugins");
        Path own = Files.createDirectories(plugins.resolve("versions-sink"));
        Path gson = Files.copy(LIBRARIES.resolve("gson-2.8.9.jar"), own.resolve("gson-2.8.9.jar"));
        PluginProject.pack(OWN_PLUGINS.resolve("versions-sink"), own.resolve("versions-sink.jar"), List.of(gson));
        return plugins;
    }

    /** With a copy of the storage in PostgreSQL and its libraries that is not offered as a plug-in by itself. */
    private void dropStorage() throws IOException {
        Path own = Files.createDirectories(folder.resolve("plugins/vault-storage"));
        Path jdbc = own.resolve("spream-storage-jdbc.jar");
        PluginProject.copyWithoutServices(PluginProject.library("spream-storage-jdbc"), jdbc);
        for (String library : List.of("HikariCP", "flyway-core", "flyway-database-postgresql", "postgresql")) {
            Path jar = PluginProject.library(library);
            Files.copy(jar, own.resolve(jar.getFileName()));
        }
        Path gson = Files.copy(LIBRARIES.resolve("gson-2.10.1.jar"), own.resolve("gson-2.10.1.jar"));
        PluginProject.pack(OWN_PLUGINS.resolve("vault-storage"), own.resolve("vault-storage.jar"), List.of(gson, jdbc));
    }

    private Path configure(String settings) throws IOException {
        return Files.writeString(
                folder.resolve("spream.properties"),
                """
                source.spanner.database=%s
                source.spanner.stream=Changes
                source.spanner.emulator-host=%s
                """.formatted(database.getName(), server.emulatorHost()) + settings);
    }

    private SpreamProcess run(Path file) throws IOException {
        return SpreamProcess.spream("run", "--config", file.toString(), "--plugins=" + folder.resolve("plugins"));
    }

    /** Returns the messages about an invalid configuration, a line each. */
    private List<String> refused(String settings) throws IOException {
        Path file = configure("storage=memory\n" + settings + "\n");
        CommandRun run = CommandRun.of("run", "--config", file.toString(), "--plugins=" + folder.resolve("plugins"));
        assertThat(run.exitCode()).as("%s", run.err()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        return run.err();
    }

    private static Set<Long> drained(SpreamProcess run) throws InterruptedException {
        run.terminate();
        assertThat(run.exitCode()).as("%s", run.err()).isZero();
        assertThat(run.err().getLast())
                .matches("\\d{2}:\\d{2}:\\d{2}\\.\\d{3} run: .*")
                .endsWith("ended by a signal");
        return ids(run.out());
    }

    /** Waits until everything is delivered that was written, by the first run or this one. */
    private static void awaitDelivered(long written, Set<Long> before, SpreamProcess run) throws InterruptedException {
        Set<Long> missing = LongStream.range(0, written).boxed().collect(Collectors.toSet());
        missing.removeAll(before);
        for (List<String> out = run.out(); !ids(out).containsAll(missing); ) {
            out = run.awaitOut(out.size() + 1);
        }
    }

    private static Set<Long> ids(List<String> lines) {
        return lines.stream()
                .flatMap(line -> KEY.matcher(line).results())
                .map(match -> Long.valueOf(match.group(1)))
                .collect(Collectors.toSet());
    }
}

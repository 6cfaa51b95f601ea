package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import dev.spream.cli.Containerfile.Copy;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executes the instructions of the container file in a folder in place of the image's root, and checks, without a
 * container engine, that the copied files exist, start, are healthy and drain.
 */
final class ContainerIT {
    private static final String SOURCES = "/src/";
    private static final Path REPOSITORY = Path.of("..");
    private static final String ADDRESS = "http: ";

    private final SpannerServer server = SpannerServers.ours();
    private final DatabaseId database = ItemWriter.database(server);

    @TempDir
    private Path root;

    @Test
    void the_files_of_the_image_start_report_health_and_drain() throws Exception {
        Containerfile file = Containerfile.read();
        for (Copy copy : file.copiesOfTheBuild()) {
            copy(copy);
        }
        Path work = Files.createDirectories(inRoot(file.one("WORKDIR")));
        Files.writeString(work.resolve("spream.properties"), """
                source.spanner.database=%s
                source.spanner.stream=Changes
                storage=memory
                sink=stdout
                """.formatted(database.getName()));
        try (ItemWriter writer = new ItemWriter(server, database);
                SpreamProcess container = start(file, work)) {
            URI page = address(container);
            container.awaitOut(5);
            assertThat(healthy(file, page.getPort())).isTrue();
            for (String path : List.of("/", "/health", "/ready", "/metrics", "/api/subscription")) {
                assertThat(status(page.resolve(path))).as(path).isEqualTo(200);
            }
            container.terminate();
            assertThat(container.exitCode()).as("%s", container.err()).isZero();
            assertThat(healthy(file, page.getPort()))
                    .as("healthy after its end")
                    .isFalse();
            assertThat(writer.stop()).isPositive();
        }
    }

    @Test
    void the_port_is_the_same_wherever_it_is_named() throws IOException {
        Containerfile file = Containerfile.read();
        String port = file.one("EXPOSE");
        assertThat(file.one("ENV")).isEqualTo("SPREAM_CONFIG_HTTP=0.0.0.0:" + port);
        assertThat(file.words("HEALTHCHECK").getLast()).contains("/127.0.0.1/" + port + " ");
        assertThat(file.one("USER")).matches("[1-9]\\d*:[1-9]\\d*");
    }

    private void copy(Copy copy) throws IOException {
        assertThat(copy.source()).startsWith(SOURCES);
        Path source = REPOSITORY.resolve(copy.source().substring(SOURCES.length()));
        Path target = Files.createDirectories(inRoot(copy.target()));
        boolean folder = copy.source().endsWith("/");
        Path parent = folder ? source : Optional.ofNullable(source.getParent()).orElseThrow();
        String pattern = folder ? "*" : String.valueOf(source.getFileName());
        int copied = 0;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, pattern)) {
            for (Path one : found) {
                Files.copy(one, target.resolve(one.getFileName()));
                copied++;
            }
        }
        assertThat(copied).as("files at %s", copy.source()).isPositive();
    }

    private Path inRoot(String path) {
        return root.resolve(path.substring(1));
    }

    private SpreamProcess start(Containerfile file, Path work) throws IOException {
        List<String> command =
                new ArrayList<>(Stream.concat(file.words("ENTRYPOINT").stream(), file.words("CMD").stream())
                        .map(word -> word.startsWith("/opt/") ? inRoot(word).toString() : word)
                        .toList());
        assertThat(command.getFirst()).isEqualTo("java");
        command.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(
                1, "-XX:+IgnoreUnrecognizedVMOptions"); // the image's Java is newer than the oldest that tests run on
        ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1"); // it lives for seconds
        builder.environment().put("SPANNER_EMULATOR_HOST", server.emulatorHost());
        builder.environment().put("SPREAM_CONFIG_HTTP", "127.0.0.1:0");
        return SpreamProcess.start(builder);
    }

    private static URI address(SpreamProcess process) throws InterruptedException {
        for (int lines = 1; ; lines++) {
            Optional<String> address = process.awaitErr(lines).stream()
                    .filter(line -> line.startsWith(ADDRESS))
                    .findFirst();
            if (address.isPresent()) {
                return URI.create(address.get().substring(ADDRESS.length()));
            }
        }
    }

    private static int status(URI address) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static boolean healthy(Containerfile file, int port) throws Exception {
        List<String> check = file.words("HEALTHCHECK").stream()
                .map(word -> word.replace("/" + file.one("EXPOSE") + " ", "/" + port + " "))
                .toList();
        Process process = new ProcessBuilder(check).redirectErrorStream(true).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the check's end").isTrue();
        return process.exitValue() == 0;
    }
}

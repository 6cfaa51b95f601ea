package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.CommandRun;
import dev.spream.cli.SpreamProcess;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.JsonObject;
import dev.spream.emulator.SpannerEmulator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the commands' HTTP endpoints, each command in a process of its own. */
@Timeout(180)
final class OperationsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void a_demo_shows_itself_while_it_runs() throws Exception {
        try (SpreamProcess demo = SpreamProcess.spream("tail", "--demo", "--duration=10m", "--http=0")) {
            URI base = demo.awaitHttp();
            await(base, "health", answer -> answer.statusCode() == 200);
            await(base, "ready", answer -> answer.statusCode() == 200);
            await(
                    base,
                    "api/subscription",
                    answer -> JsonObject.of(answer.body()).objects("partitions").size() > 5);
            await(
                    base,
                    "metrics",
                    answer -> answer.body().contains("spream_lag_seconds{subscription=\"AccountsStream\"}")
                            && answer.body().contains("jvm_memory_used_bytes"));
            assertThat(await(base, "", answer -> answer.statusCode() == 200).body())
                    .startsWith("<!doctype html>");

            demo.terminate();

            assertThat(demo.exitCode()).as("%s", demo.err()).isZero();
        }
    }

    @Test
    void a_service_is_told_by_its_configuration_where_to_show_itself() throws Exception {
        try (SpannerEmulator server = SpannerEmulator.start();
                DemoDatabase database = DemoDatabase.create(
                        server.emulatorHost(),
                        DemoArguments.DialectName.GOOGLESQL.dialect(),
                        PartitionMode.IMMUTABLE_KEY_RANGE,
                        new TransferWorkload(1));
                SpreamProcess run = SpreamProcess.spream("run", "--config", configuration(server, database, "0"))) {
            URI base = run.awaitHttp();
            await(base, "ready", answer -> answer.statusCode() == 200);
            JsonObject shown = JsonObject.of(await(
                            base,
                            "api/subscription",
                            answer -> JsonObject.of(answer.body()).has("retention_seconds"))
                    .body());
            assertThat(shown.string("subscription")).contains("transfers");
            assertThat(shown.string("stream")).contains(DemoDatabase.STREAM);
            assertThat(shown.has("lost_in_seconds")).isTrue();

            run.terminate();

            assertThat(run.exitCode()).as("%s", run.err()).isZero();
        }
    }

    @Test
    void a_port_in_use_is_an_error_before_anything_is_run() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun demo = CommandRun.of("tail", "--demo", "--http=" + taken.getLocalPort());
            assertThat(demo.exitCode()).isEqualTo(1);
            assertThat(demo.out()).isEmpty();
            assertThat(demo.err())
                    .containsExactly("spream tail: cannot listen on 127.0.0.1:%d: Address already in use; nothing was"
                                    .formatted(taken.getLocalPort())
                            + " run. Choose another port, or 0 for any free one");
        }
    }

    @Test
    void an_invalid_address_is_refused() {
        CommandRun run = CommandRun.of("run", "--http=everywhere");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).anyMatch(line -> line.contains("http is 'everywhere'"));
    }

    private String configuration(SpannerEmulator server, DemoDatabase database, String http) throws IOException {
        return Files.writeString(folder.resolve("spream.properties"), """
                subscription=transfers
                storage=memory
                sink=stdout
                source=spanner
                source.spanner.database=%s
                source.spanner.stream=%s
                source.spanner.emulator-host=%s
                http=%s
                """.formatted(
                                database.name(), DemoDatabase.STREAM, server.emulatorHost(), http))
                .toString();
    }

    private static HttpResponse<String> await(URI base, String path, Predicate<HttpResponse<String>> expected)
            throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(base.resolve(path)).build();
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (true) {
                HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
                if (expected.test(answer)) {
                    return answer;
                }
                assertThat(System.nanoTime())
                        .as("%s answers %s", path, answer.body())
                        .isLessThan(deadline);
                LockSupport.parkNanos(50_000_000);
            }
        }
    }
}

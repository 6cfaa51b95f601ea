package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.sun.net.httpserver.HttpServer;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The panels of services that run in processes of their own, over a database with something for each. */
@Timeout(240)
final class ServicePagesIT {
    private static final String TOKEN = "the-token-of-the-tests";

    private DashboardData data;
    private RefusingWebhook sink;
    private HttpServer broker;

    @TempDir
    private Path folder;

    @BeforeEach
    void open() throws Exception {
        data = new DashboardData();
        sink = new RefusingWebhook();
        broker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        broker.createContext("/", exchange -> {
            try (exchange) {
                byte[] answer = "{\"ok\":true}".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        broker.start();
    }

    @AfterEach
    void close() throws Exception {
        broker.stop(0);
        sink.close();
        data.close();
    }

    @Test
    void a_subscription_shows_all_panels_beside_itself_and_takes_commands_with_the_token() throws Exception {
        try (SpreamProcess service = start(subscription(TOKEN), "run");
                PageClient page = new PageClient(service.awaitHttp(), TOKEN)) {
            assertThat(panels(page)).containsExactly("dead-letters", "outbox", "projections", "locks");
            page.await(
                    "api/subscription",
                    shown -> shown.string("phase").filter("running"::equals).isPresent()
                            && !shown.objects("partitions").isEmpty());
            List<JsonObject> letters = page.state("dead-letters").objects("letters");
            assertThat(letters).hasSize(3);
            assertThat(page.state("outbox").objects("parked")).hasSize(2);
            assertThat(page.state("projections").objects("projections")).hasSize(2);
            assertThat(page.state("locks").objects("sessions")).isNotEmpty();

            String replay = "{\"identities\":[\"%s\"]}"
                    .formatted(letters.getFirst().string("identity").orElseThrow());
            assertThat(page.post("dead-letters/replay", replay, "wrong").statusCode())
                    .isEqualTo(401);
            assertThat(sink.taken(DashboardData.FAILED)).isEmpty();
            page.done("dead-letters/replay", replay);
            assertThat(sink.taken(DashboardData.FAILED)).containsExactly(3L);
            page.done("projections/pause", "{\"projection\":\"entries\",\"reason\":\"deployment\"}");
            end(service);
        }
    }

    @Test
    void a_subscription_without_a_token_shows_all_panels_and_has_no_commands() throws Exception {
        try (SpreamProcess service = start(subscription(""), "run");
                PageClient page = new PageClient(service.awaitHttp(), "")) {
            assertThat(panels(page)).hasSize(4);
            assertThat(JsonObject.of(page.get("api/page").body()).get("commands"))
                    .isEqualTo(false);
            String discard = "{\"identities\":[\"%s\"]}"
                    .formatted(page.state("dead-letters")
                            .objects("letters")
                            .getFirst()
                            .string("identity")
                            .orElseThrow());
            assertThat(page.post("dead-letters/discard", discard, TOKEN).statusCode())
                    .isEqualTo(404);
            assertThat(page.state("dead-letters").int64("open")).hasValue(3);
            end(service);
        }
    }

    @Test
    void an_outbox_worker_shows_its_outbox_and_takes_commands_with_the_token() throws Exception {
        try (SpreamProcess worker = start(outbox(TOKEN), "outbox", "run");
                PageClient page = new PageClient(worker.awaitHttp(), TOKEN)) {
            assertThat(panels(page)).containsExactly("outbox");
            JsonObject sent = page.await(
                            "api/outbox",
                            shown -> shown.object("state")
                                    .flatMap(state -> state.object("worker"))
                                    .filter(own -> own.int64("succeeded").orElse(0) == 2)
                                    .isPresent())
                    .object("state")
                    .orElseThrow();
            long aborted = sent.objects("aborted").getFirst().int64("id").orElseThrow();
            String requeue = "{\"id\":%d,\"reason\":\"the receiver is back\"}".formatted(aborted);
            assertThat(page.post("outbox/requeue", requeue, "wrong").statusCode())
                    .isEqualTo(401);
            page.done("outbox/requeue", requeue);
            page.await(
                    "api/outbox",
                    shown -> shown.object("state")
                            .flatMap(state -> state.object("worker"))
                            .filter(own -> own.int64("succeeded").orElse(0) == 3)
                            .isPresent());
            end(worker);
        }
    }

    @Test
    void an_outbox_worker_without_a_token_has_no_commands() throws Exception {
        try (SpreamProcess worker = start(outbox(""), "outbox", "run");
                PageClient page = new PageClient(worker.awaitHttp(), "")) {
            JsonObject shown = page.state("outbox");
            long aborted = shown.objects("aborted").getFirst().int64("id").orElseThrow();
            assertThat(page.post("outbox/requeue", "{\"id\":%d,\"reason\":\"x\"}".formatted(aborted), TOKEN)
                            .statusCode())
                    .isEqualTo(404);
            assertThat(page.state("outbox").objects("aborted")).hasSize(1);
            end(worker);
        }
    }

    private static List<String> panels(PageClient page) throws Exception {
        return JsonObject.of(page.get("api/page").body()).objects("panels").stream()
                .map(panel -> panel.string("name").orElseThrow())
                .toList();
    }

    /** The subscription of the data, with a stream that exists, and partitions of its own. */
    private String subscription(String token) {
        SpannerServer server = SpannerServers.ours();
        DatabaseId database = server.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                List.of(
                        "CREATE TABLE Items (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM OrdersStream FOR Items"));
        return data.config(sink.url(), token)
                .replace("projects/p/instances/i/databases/d", database.getName())
                .replace("localhost:1", server.emulatorHost())
                .replaceAll("storage=jdbc\\nstorage.jdbc.url=.*", "storage=memory");
    }

    private String outbox(String token) {
        return """
                outbox=jdbc
                outbox.jdbc.url=%s
                outbox.enabled=true
                sender=http
                sender.http.url=http://127.0.0.1:%d/
                http=0
                %s
                """.formatted(
                data.database().jdbcUrl(), broker.getAddress().getPort(), token.isEmpty() ? "" : "http-token=" + token);
    }

    private SpreamProcess start(String config, String... command) throws IOException {
        Path file = Files.writeString(folder.resolve("service.properties"), config);
        String[] arguments = Stream.concat(Arrays.stream(command), Stream.of("--config", file.toString()))
                .toArray(String[]::new);
        return SpreamProcess.spream(arguments);
    }

    private static void end(SpreamProcess process) throws Exception {
        process.terminate();
        assertThat(process.exitCode()).as("%s", process.err()).isZero();
    }
}

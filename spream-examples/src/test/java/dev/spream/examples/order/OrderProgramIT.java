package dev.spream.examples.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.examples.fault.Await;
import dev.spream.servers.JavaCommand;
import dev.spream.servers.PostgresDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the order service as started in a shell. */
@Timeout(180)
final class OrderProgramIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SLOW = Duration.ofSeconds(5);
    private static final Pattern STARTED =
            Pattern.compile("order service at (http://[^\\s,]+), broker at (http://\\S+)");
    private static final Pattern LIST = Pattern.compile("outbox list --url '(jdbc:[^']+)' --user 'postgres'");

    @TempDir
    private Path directory;

    @SuppressWarnings("NullAway.Init") // every test launches one
    private Process process;

    @AfterEach
    void end() throws InterruptedException {
        process.destroy(); // by which its database ends, too
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    @Test
    void a_signal_to_end_ends_the_service_when_its_order_is_sent_and_then_broker_and_database() throws Exception {
        launch(Map.of("ORDER_HTTP", "0", "BROKER_HTTP", "0", "BROKER_TIMEOUT_MS", "30000"));
        BufferedReader out = process.inputReader();
        Matcher started = next(out, STARTED);
        URI service = URI.create(started.group(1));
        URI broker = URI.create(started.group(2));
        String database = next(out, LIST).group(1);
        DriverManager.getConnection(database, "postgres", "").close();

        long posted = System.nanoTime();
        sendSlowly(service, broker);
        process.toHandle().destroy(); // ends a JVM as Ctrl-C does, and is not ignored in the background of a shell
        awaitEnd();
        assertThat(Duration.ofNanos(System.nanoTime() - posted)).isGreaterThan(SLOW);
        assertThat(errors()).isEmpty();
        assertThatThrownBy(() -> DriverManager.getConnection(database, "postgres", ""))
                .hasMessageContaining("refused");
    }

    /** Returns when the broker has an order that it takes its time to answer. */
    private static void sendSlowly(URI service, URI broker) throws Exception {
        try (OrderClient client = new OrderClient(TIMEOUT)) {
            String slow = "{\"mode\": \"slow\", \"delay_ms\": %d}".formatted(SLOW.toMillis());
            client.send(HttpRequest.newBuilder(broker.resolve("/broker/mode")).POST(BodyPublishers.ofString(slow)));
            client.post(service, "order-1", OrderClient.order(1));
            Await.until(
                    TIMEOUT,
                    () -> client.get(broker, "/broker/book").response().body().contains("order-1"),
                    () -> "the order was not sent");
        }
    }

    @Test
    @Tag("proof")
    void a_database_that_cannot_be_reached_is_told_in_a_line_and_the_process_ends() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        String database = "jdbc:postgresql://localhost:%d/shop".formatted(free);
        launch(Map.of("DATABASE_URL", database, "ORDER_HTTP", "0", "BROKER_HTTP", "0"));
        awaitEnd();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(errors()).singleElement().asString().contains("did not start", database, "DATABASE_PASSWORD");
    }

    @Test
    void an_environment_that_cannot_be_used_is_told_in_a_line_and_the_process_ends() throws Exception {
        String database = "jdbc:postgresql://localhost/shop?user=a&password=hidden";
        launch(Map.of("DATABASE_URL", database, "ORDER_HTTP", "0", "BROKER_HTTP", "0"));
        awaitEnd();
        assertThat(process.exitValue()).isEqualTo(2);
        assertThat(errors())
                .singleElement()
                .asString()
                .contains("did not start", "DATABASE_USER", "DATABASE_PASSWORD")
                .doesNotContain("hidden");
    }

    @Test
    @Tag("proof")
    void an_address_that_is_taken_is_told_in_a_line_and_what_was_started_ends() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            String address = "0.0.0.0:" + taken.getLocalPort();
            String database = PostgresDatabase.create().jdbcUrl();
            launch(Map.of("DATABASE_URL", database, "ORDER_HTTP", address, "BROKER_HTTP", "0"));
            awaitEnd();
            assertThat(process.exitValue()).isEqualTo(1);
            assertThat(errors().getLast()).contains("did not start", "cannot listen at " + address);
        }
    }

    /** With the log of the program itself, and nothing of this environment that configures it. */
    private void launch(Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(JavaCommand.of(OrderService.class));
        builder.environment()
                .keySet()
                .removeIf(name -> name.matches("(DATABASE|BROKER|ORDER|OUTBOX|SPREAM)_.*|JAVA_TOOL_OPTIONS"));
        builder.environment().putAll(environment);
        process = builder.redirectError(directory.resolve("errors").toFile()).start();
    }

    private Matcher next(BufferedReader out, Pattern pattern) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                return matcher;
            }
        }
        throw new AssertionError("never printed %s, but %s".formatted(pattern, errors()));
    }

    private void awaitEnd() throws IOException, InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .as("ended, with %s", errors())
                .isTrue();
    }

    private List<String> errors() throws IOException {
        return Files.readAllLines(directory.resolve("errors"));
    }
}

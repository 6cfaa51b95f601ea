package dev.spream.storage.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.Backoff;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.storage.jdbc.JdbcPool;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The program of a worker in a process of its own, which sends entries to a {@link CountingReceiver}. */
final class OutboxWorkerProcess {
    static final Duration LEASE = Duration.ofSeconds(2);

    private OutboxWorkerProcess() {}

    /** Works until it is killed; the arguments are URL, user and password of the database, receiver and guarantee. */
    public static void main(String[] args) {
        try (HikariDataSource pool = JdbcPool.open(args[0], Optional.of(args[1]), Optional.of(args[2]))) {
            JdbcOutboxStore store = JdbcOutboxStore.builder(pool)
                    .statementTimeout(Duration.ofSeconds(1))
                    .build();
            OutboxWorkerOptions options = OutboxWorkerOptions.builder()
                    .concurrency(8)
                    .pollInterval(Duration.ofMillis(100))
                    .lease(LEASE)
                    .sendTimeout(Duration.ofSeconds(1))
                    .maxAttempts(1_000)
                    .backoff(Backoff.exponential(Duration.ofMillis(50), Duration.ofMillis(200)))
                    .breakerPause(Duration.ofMillis(200))
                    .build();
            OutboxWorker.builder(store, new Sender(URI.create(args[3]), OutboxSender.Guarantee.valueOf(args[4])))
                    .options(options)
                    .build()
                    .run();
        }
    }

    private record Sender(URI receiver, Guarantee guarantee) implements OutboxSender {
        private static final HttpClient CLIENT = HttpClient.newHttpClient();

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
            HttpRequest request = request(entry, timeout)
                    .header("Ordering-Key", entry.orderingKey().orElse(""))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            CLIENT.send(request, HttpResponse.BodyHandlers.discarding());
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }

        @Override
        public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
            HttpResponse<Void> answer =
                    CLIENT.send(request(entry, timeout).build(), HttpResponse.BodyHandlers.discarding());
            return answer.statusCode() == 200
                    ? new QueryOutcome.Taken(LedgerResult.succeeded())
                    : new QueryOutcome.NotThere();
        }

        private HttpRequest.Builder request(OutboxEntry entry, Duration timeout) {
            String key = URLEncoder.encode(entry.idempotencyKey(), StandardCharsets.UTF_8);
            return HttpRequest.newBuilder(receiver.resolve("/" + key)).timeout(timeout);
        }
    }
}

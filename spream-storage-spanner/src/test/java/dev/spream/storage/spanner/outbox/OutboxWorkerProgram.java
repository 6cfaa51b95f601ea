package dev.spream.storage.spanner.outbox;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.Backoff;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/**
 * A process with a worker, which sends to a {@link CountingReceiver} until it is killed. Its arguments are the
 * address of the emulator, the database, the table, and the address of the receiver.
 */
final class OutboxWorkerProgram {
    static final Duration LEASE = Duration.ofSeconds(2);

    /** A destination that the worker has a sender for, besides the default one. */
    static final String DESTINATION = "mail";

    private OutboxWorkerProgram() {}

    public static void main(String[] arguments) {
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(arguments[1]))
                        .emulatorHost(arguments[0])
                        .maxOpenQueries(1)
                        .open();
                SpannerOutboxStore store = SpannerOutboxStore.open(connection, arguments[2]);
                OutboxWorker worker = OutboxWorker.builder(store, new Sender(URI.create(arguments[3])))
                        .sender(DESTINATION, new Sender(URI.create(arguments[3])))
                        .options(OutboxWorkerOptions.builder()
                                .lease(LEASE)
                                .pollInterval(Duration.ofMillis(100))
                                .sendTimeout(Duration.ofMillis(700))
                                .backoff(Backoff.table(List.of(Duration.ofMillis(200))))
                                .maxAttempts(100)
                                .build())
                        .build()) {
            worker.run();
        }
    }

    private record Sender(URI receiver, HttpClient client) implements OutboxSender {
        private Sender(URI receiver) {
            this(receiver, HttpClient.newHttpClient());
        }

        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
            HttpRequest request = HttpRequest.newBuilder(receiver)
                    .timeout(timeout)
                    .POST(HttpRequest.BodyPublishers.ofString(entry.idempotencyKey()))
                    .build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == 200
                    ? new SendOutcome.Succeeded(LedgerResult.succeeded())
                    : new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "status " + response.statusCode());
        }
    }
}

package com.example.collector;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.api.spi.RetryAfterException;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Posts changes as JSON, one per line. Safe for use by many threads, which share the connections. */
final class CollectorSink implements BatchConsumer, AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI url;
    private final Optional<String> token;
    private final Duration timeout;

    CollectorSink(URI url, Optional<String> token, Duration timeout) {
        this.url = url;
        this.token = token;
        this.timeout = timeout;
    }

    @Override
    public void consume(Batch batch) throws IOException, InterruptedException {
        int status =
                client.send(request(batch.changes()), BodyHandlers.discarding()).statusCode();
        switch (status) {
            case 200, 202, 204 -> {} // durable at the collector: returning settles the batch
            case 400, 413, 422 -> throw new NonRetryableException("the collector refused the request: " + status);
            case 429, 503 -> throw new RetryAfterException("the collector asks for a pause: " + status, PAUSE);
            default -> throw new IOException("the collector answered with status " + status);
        }
    }

    private HttpRequest request(List<DataChangeRecord> changes) {
        String lines = changes.stream().map(DataChangeRecord::toJson).collect(Collectors.joining("\n"));
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(timeout)
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(lines));
        token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
        return request.build();
    }

    /** Called when the run has ended and its last {@code flush} has returned. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}

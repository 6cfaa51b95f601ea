package dev.spream.sinks.http;

import dev.spream.outbox.OutboxEntry;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.util.Optional;
import java.util.Set;

/** Builds requests. */
record HttpRequests(
        HttpSender.Method method, UrlTemplate url, Optional<UrlTemplate> queryUrl, ConfiguredHeaders headers) {
    static final Set<String> OWN_HEADERS = Set.of(
            "spream-destination", "spream-entry-id", "spream-ordering-key", "spream-payload-type", "traceparent");

    /**
     * Returns the request of an entry. The id grows within an ordering key, so that a receiver can refuse an abandoned
     * request that arrives after later ones.
     */
    HttpRequest send(OutboxEntry entry, BodyPublisher body) {
        HttpRequest.Builder request = builder(url, entry)
                .method(method.name(), body)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", IdempotencyKeyHeader.of(entry))
                .header("Spream-Entry-Id", Long.toString(entry.id()));
        entry.orderingKey()
                .map(IdempotencyKeyHeader::ofText)
                .ifPresent(key -> request.header("Spream-Ordering-Key", key));
        entry.payloadType()
                .map(IdempotencyKeyHeader::ofText)
                .ifPresent(type -> request.header("Spream-Payload-Type", type));
        if (!entry.destination().isEmpty()) {
            request.header("Spream-Destination", entry.destination());
        }
        return request.build();
    }

    HttpRequest query(OutboxEntry entry) {
        UrlTemplate template = queryUrl.orElseThrow(
                () -> new UnsupportedOperationException(this + " cannot be queried for the outcome of an entry"));
        return builder(template, entry).GET().build();
    }

    private HttpRequest.Builder builder(UrlTemplate template, OutboxEntry entry) {
        HttpRequest.Builder request = HttpRequest.newBuilder(template.of(entry)).header("User-Agent", "spream");
        entry.traceparent()
                .filter(ConfiguredHeaders::isValue)
                .ifPresent(traceparent -> request.header("traceparent", traceparent));
        headers.addTo(request);
        return request;
    }

    @Override
    public String toString() {
        return url.toString();
    }
}

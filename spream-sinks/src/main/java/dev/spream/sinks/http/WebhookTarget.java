package dev.spream.sinks.http;

import dev.spream.api.spi.PluginConfig;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server to which changes are posted, and the form of the requests. Its text form omits path and headers, which may
 * be secret.
 */
record WebhookTarget(URI url, ConfiguredHeaders headers) {
    private static final Logger log = LoggerFactory.getLogger(WebhookTarget.class);
    private static final Set<String> OWN = Set.of(
            "spream-commit-timestamp",
            "spream-epoch",
            "spream-mod-type",
            "spream-partition",
            "spream-record-sequence",
            "spream-table");
    /** Always nine digits, so that a receiver can compare two timestamps as texts. */
    private static final DateTimeFormatter COMMIT_TIMESTAMP =
            new DateTimeFormatterBuilder().appendInstant(9).toFormatter(Locale.ROOT);

    static WebhookTarget of(URI url, ConfiguredHeaders headers) {
        WebhookTarget target = new WebhookTarget(url, headers);
        if (WebUrl.isExposed(url)) {
            log.warn("changes{} go to {} unencrypted; use https", headers.isEmpty() ? "" : " and secrets", target);
        }
        return target;
    }

    /** @throws IllegalArgumentException if a header cannot be sent; the message names all of them, without values */
    static ConfiguredHeaders headers(PluginConfig config) {
        return ConfiguredHeaders.of(
                config.find(ConfiguredHeaders.AUTHORIZATION),
                config.find(ConfiguredHeaders.HEADERS).orElse(List.of()),
                OWN);
    }

    boolean isEncrypted() {
        return WebUrl.isEncrypted(url);
    }

    HttpRequest.Builder request(DataChangeRecord change, Delivery delivery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .POST(BodyPublishers.ofString(change.toJson()))
                .header("Content-Type", "application/json")
                .header("User-Agent", "spream")
                .header("Idempotency-Key", change.identity().toString())
                .header("Spream-Commit-Timestamp", COMMIT_TIMESTAMP.format(change.commitTimestamp()))
                .header("Spream-Epoch", Long.toString(delivery.epoch()));
        addIfPlain(request, "Spream-Record-Sequence", change.recordSequence());
        addIfPlain(request, "Spream-Partition", delivery.partition().value());
        addIfPlain(request, "Spream-Table", change.tableName());
        addIfPlain(request, "Spream-Mod-Type", change.modTypeName());
        headers.addTo(request);
        return request;
    }

    private static void addIfPlain(HttpRequest.Builder request, String name, String value) {
        if (ConfiguredHeaders.isValue(value)) {
            request.header(name, value);
        }
    }

    /** Returns scheme, host and port. */
    @Override
    public String toString() {
        return WebUrl.origin(url);
    }
}

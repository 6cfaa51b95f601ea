package dev.spream.sinks.http;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
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
            "spream-mod-index",
            "spream-mod-type",
            "spream-number-of-mods",
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

    /** Returns the request for a change, with all of its rows. */
    HttpRequest.Builder request(DataChangeRecord change, Delivery delivery) {
        return request(change, delivery, BodyPublishers.ofString(change.toJson()))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", change.identity().toString());
    }

    /** Returns the request for a row. */
    HttpRequest.Builder request(ChangedRow row, ChangeFormat format) {
        HttpRequest.Builder request = request(
                        row.change(), row.delivery(), BodyPublishers.ofByteArray(format.value(row)))
                .header("Content-Type", format.contentType())
                .header("Idempotency-Key", row.identity())
                .header("Spream-Mod-Index", Integer.toString(row.index()))
                .header(
                        "Spream-Number-Of-Mods",
                        Integer.toString(row.change().mods().size()));
        format.headers(row).forEach((name, value) -> addIfPlain(request, name, value));
        return request;
    }

    private HttpRequest.Builder request(DataChangeRecord change, Delivery delivery, BodyPublisher body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .POST(body)
                .header("User-Agent", "spream")
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

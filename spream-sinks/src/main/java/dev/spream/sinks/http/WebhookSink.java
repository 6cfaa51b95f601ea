package dev.spream.sinks.http;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.api.spi.RetryAfterException;
import dev.spream.core.DurationText;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.sinks.http.HttpOutcome.Answered;
import dev.spream.sinks.http.HttpOutcome.Broken;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/**
 * Posts each change, or each of its rows in order, and maps the status of the response to an outcome. The server must make the effect durable before
 * it responds.
 *
 * <p>A request that is abandoned, at its timeout or when the call is interrupted, may still be processed by the server.
 * Each request carries its position in the history of its keys and the epoch of its lease, by which the server can
 * refuse it later.
 *
 * <p>Safe for use by many threads, which share connections; there are as many requests in flight as threads calling.
 * Closing cancels requests in flight.
 */
record WebhookSink(
        WebhookTarget target, Optional<ChangeFormat> rows, Duration timeout, InstantSource clock, HttpCalls calls)
        implements Consumer, AutoCloseable {
    /** Statuses about the request itself, which are non-retryable; all others concern the receiver or the way to it. */
    private static final Set<Integer> FINAL = Set.of(400, 409, 410, 413, 415, 422);

    /** Responses are not read; a longer one costs its connection. */
    private static final int MAX_ANSWER_BYTES = 1 << 16;

    static WebhookSink open(
            WebhookTarget target,
            Optional<ChangeFormat> rows,
            Duration timeout,
            Duration connectTimeout,
            InstantSource clock) {
        HttpCalls calls = new HttpCalls("webhook", target.isEncrypted(), connectTimeout);
        return new WebhookSink(target, rows, timeout, clock, calls);
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        if (rows.isEmpty()) {
            post(target.request(change, delivery).build(), "the change " + change.identity());
            return;
        }
        for (ChangedRow row : ChangedRow.of(change, delivery)) {
            post(target.request(row, rows.get()).build(), described(row));
        }
    }

    /** Returns the row for messages. After a failure, the next attempt begins with the first row again. */
    private static String described(ChangedRow row) {
        int rows = row.change().mods().size();
        return rows == 1
                ? "the change " + row.change().identity()
                : "row %d of the %d of the change %s"
                        .formatted(row.index() + 1, rows, row.change().identity());
    }

    private void post(HttpRequest request, String what) throws IOException, InterruptedException {
        HttpOutcome.Head answer = send(request, what);
        if (answer.isSuccess()) {
            return;
        }
        int status = answer.status();
        String refusal = "%s responded with status %d to %s".formatted(target, status, what);
        if (FINAL.contains(status)) {
            throw new NonRetryableException(refusal + "; retrying it will not help");
        }
        refusal += advice(status);
        Optional<Duration> delay = RetryAfter.of(answer.headers(), clock.instant());
        if (delay.isPresent()) {
            throw new RetryAfterException(
                    "%s; it requested a pause of %s".formatted(refusal, DurationText.of(delay.get())), delay.get());
        }
        throw new IOException(refusal);
    }

    private static String advice(int status) {
        return switch (status) {
            case 401, 403, 407 -> "; check sink.webhook.authorization and the permissions of its user";
            case 404, 405, 421, 426 -> "; check sink.webhook.url, and whether the receiver is deployed";
            default -> status / 100 == 3 ? "; redirects are not followed, check sink.webhook.url" : "";
        };
    }

    private HttpOutcome.Head send(HttpRequest request, String what) throws IOException, InterruptedException {
        return switch (calls.call(request, timeout, MAX_ANSWER_BYTES)) {
            case Answered answer -> answer.head();
            case Broken(var head, TimeoutException over) ->
                throw new IOException(
                        "%s did not respond to %s within %s; it may have applied it or not"
                                .formatted(target, what, DurationText.of(timeout)),
                        over);
            case Broken(var head, Throwable cause) ->
                throw new IOException("%s could not be posted to %s: %s".formatted(what, target, cause), cause);
        };
    }

    @Override
    public void close() {
        calls.close();
    }

    @Override
    public String toString() {
        return "webhook to " + target;
    }
}

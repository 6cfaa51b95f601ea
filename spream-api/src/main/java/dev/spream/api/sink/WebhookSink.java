package dev.spream.api.sink;

import dev.spream.api.spi.RejectedException;
import dev.spream.api.spi.RetryLaterException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Posts each change, and judges the answer by its status. The effect is the server's to make durable before it answers.
 *
 * <p>Safe for use by many threads, which share connections; as many requests are on their way as threads are in it. Closing
 * gives up what is on its way.
 */
final class WebhookSink implements Consumer, AutoCloseable {
    /** What judges the request itself; all else is about the receiver, or how it is reached, and may be mended. */
    private static final Set<Integer> FINAL = Set.of(400, 409, 410, 413, 415, 422);

    private final WebhookTarget target;
    private final Duration timeout;
    private final InstantSource clock;
    private final ExecutorService executor;
    private final HttpClient client;

    private WebhookSink(WebhookTarget target, Duration timeout, Duration connectTimeout, InstantSource clock) {
        this.target = target;
        this.timeout = timeout;
        this.clock = clock;
        this.executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("spream-webhook-", 0).factory());
        this.client = HttpClient.newBuilder()
                .executor(executor)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                // Without encryption it would be an upgrade in the middle of a request, which servers get wrong.
                .version(target.isEncrypted() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .build();
    }

    /** Connects with the first change. */
    static WebhookSink open(WebhookTarget target, Duration timeout, Duration connectTimeout, InstantSource clock) {
        return new WebhookSink(target, timeout, connectTimeout, clock);
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        HttpResponse<@Nullable Void> answer = send(target.request(change).build(), change);
        int status = answer.statusCode();
        if (status / 100 == 2) {
            return;
        }
        String refusal = "%s answered with status %d to the change %s".formatted(target, status, change.identity());
        if (FINAL.contains(status)) {
            throw new RejectedException(refusal + "; it will not take it, however often it is tried");
        }
        refusal += advice(status);
        Optional<Duration> delay =
                answer.headers().firstValue("Retry-After").flatMap(header -> RetryAfter.read(header, clock.instant()));
        if (delay.isPresent()) {
            throw new RetryLaterException("%s; it asks for a pause of %s".formatted(refusal, delay.get()), delay.get());
        }
        throw new IOException(refusal);
    }

    private static String advice(int status) {
        return switch (status) {
            case 401, 403, 407 -> "; look at sink.webhook.authorization, and at what this user may do there";
            case 404, 405, 421, 426 -> "; look at sink.webhook.url, and at whether the receiver is deployed";
            default -> status / 100 == 3 ? "; redirects are not followed, look at sink.webhook.url" : "";
        };
    }

    /** The client's own limit ends with the headers of the answer; this one includes its body. */
    private HttpResponse<@Nullable Void> send(HttpRequest request, DataChangeRecord change)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<@Nullable Void>> answer = client.sendAsync(request, info -> new DiscardedBody());
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "%s did not answer to the change %s within %s; it may have it or not"
                            .formatted(target, change.identity(), timeout),
                    e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "the change %s could not be posted to %s: %s".formatted(change.identity(), target, cause), cause);
        } finally {
            answer.cancel(true); // which aborts the request, unless it is done
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
        executor.close();
    }

    @Override
    public String toString() {
        return "webhook to " + target;
    }
}

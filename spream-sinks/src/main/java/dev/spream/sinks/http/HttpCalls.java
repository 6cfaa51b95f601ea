package dev.spream.sinks.http;

import dev.spream.sinks.http.HttpOutcome.Answered;
import dev.spream.sinks.http.HttpOutcome.Broken;
import dev.spream.sinks.http.HttpOutcome.Head;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls to a server. Redirects are not followed. Safe for use by many threads, which share connections; there are
 * as many requests in flight as threads calling. Closing cancels requests in flight.
 */
final class HttpCalls implements AutoCloseable {
    private final ExecutorService executor;
    private final HttpClient client;

    /** Connects with the first call. The name is that of its threads. */
    HttpCalls(String name, boolean encrypted, Duration connectTimeout) {
        this.executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("spream-" + name + "-", 0).factory());
        this.client = HttpClient.newBuilder()
                .executor(executor)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                // Without encryption, HTTP/2 would need an upgrade within a request, which servers handle badly.
                .version(encrypted ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .build();
    }

    /**
     * Sends a request and reads the response. An interrupt aborts the request, and so does the timeout. The client's
     * own timeout would end with the headers of the response; this one includes its body.
     *
     * @param maxBytes the maximum size of the body; a longer one is discarded
     */
    HttpOutcome call(HttpRequest request, Duration timeout, int maxBytes) throws InterruptedException {
        AtomicReference<@Nullable Head> head = new AtomicReference<>();
        CompletableFuture<HttpResponse<Optional<byte[]>>> answer = client.sendAsync(request, info -> {
            head.set(new Head(info.statusCode(), info.headers()));
            return new BoundedBody(maxBytes);
        });
        try {
            HttpResponse<Optional<byte[]>> whole = answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return new Answered(new Head(whole.statusCode(), whole.headers()), whole.body());
        } catch (TimeoutException e) {
            return new Broken(Optional.ofNullable(head.get()), e);
        } catch (ExecutionException e) {
            return new Broken(Optional.ofNullable(head.get()), e.getCause() == null ? e : e.getCause());
        } finally {
            answer.cancel(true); // aborts the request, unless it is done
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
        executor.close();
    }
}

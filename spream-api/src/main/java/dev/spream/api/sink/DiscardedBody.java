package dev.spream.api.sink;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads an answer to its end, so that the connection can be used again, and keeps nothing of it. An answer that is long is
 * not worth that: its connection is given up. Signals come one at a time.
 */
final class DiscardedBody implements BodySubscriber<@Nullable Void> {
    private static final long MAX_BYTES = 1 << 16;

    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    private @Nullable Subscription subscription;
    private long read;

    @Override
    public CompletionStage<@Nullable Void> getBody() {
        return done;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        this.subscription = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            read += buffer.remaining();
        }
        if (read > MAX_BYTES && subscription != null) {
            subscription.cancel();
            done.complete(null);
        }
    }

    @Override
    public void onError(Throwable throwable) {
        done.completeExceptionally(throwable);
    }

    @Override
    public void onComplete() {
        done.complete(null);
    }
}

package dev.spream.sinks.http;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads a response to its end, so that the connection can be reused. A response that is too long is discarded, and its
 * connection closed. Signals arrive one at a time.
 */
final class BoundedBody implements BodySubscriber<Optional<byte[]>> {
    private final int maxBytes;
    private final CompletableFuture<Optional<byte[]>> done = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private @Nullable Subscription subscription;

    BoundedBody(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    public CompletionStage<Optional<byte[]>> getBody() {
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
            if (done.isDone() || isTooMuch(buffer)) {
                return;
            }
            byte[] read = new byte[buffer.remaining()];
            buffer.get(read);
            bytes.writeBytes(read);
        }
    }

    private boolean isTooMuch(ByteBuffer buffer) {
        if (bytes.size() + (long) buffer.remaining() <= maxBytes) {
            return false;
        }
        if (subscription != null) {
            subscription.cancel();
        }
        return done.complete(Optional.empty());
    }

    @Override
    public void onError(Throwable throwable) {
        done.completeExceptionally(throwable);
    }

    @Override
    public void onComplete() {
        done.complete(Optional.of(bytes.toByteArray()));
    }
}

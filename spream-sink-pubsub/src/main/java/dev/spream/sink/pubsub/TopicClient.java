package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.api.gax.grpc.GrpcCallContext;
import com.google.cloud.pubsub.v1.TopicAdminClient;
import com.google.pubsub.v1.GetTopicRequest;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.Topic;
import io.grpc.CallOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The calls to one topic, with a limit on those in flight. The client retries temporary failures of a call within its
 * time limit; cancelling its future cancels the call. Safe for use by many threads.
 *
 * <p>Google's {@code Publisher} is not used. With message ordering it retries for ever, whatever its time limit; a
 * failure shows before the key is blocked, so that resuming may come too early; waiting in its flow control swallows
 * interrupts; and its shutdown waits without a limit.
 *
 * <p>Slots cannot deadlock: the holder of one waits only for the response to a request, which has a time limit; a waiter
 * holds none.
 */
final class TopicClient implements AutoCloseable {
    /**
     * The maximum size of a request, in bytes.
     *
     * @see <a href="https://cloud.google.com/pubsub/quotas#resource_limits">Pub/Sub: resource limits</a>
     */
    static final int MAX_REQUEST_BYTES = 10_000_000;

    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final Duration TERMINATION = Duration.ofSeconds(5);

    private final PubsubOptions options;
    private final TopicAdminClient client;
    private final GrpcCallContext callContext;
    private final Semaphore slots;
    private final Set<ApiFuture<?>> onTheirWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private TopicClient(PubsubOptions options, TopicAdminClient client) {
        this.options = options;
        this.client = client;
        this.slots = new Semaphore(options.maxRequests(), true);
        GrpcCallContext plain = GrpcCallContext.createDefault();
        this.callContext =
                options.compression() ? plain.withCallOptions(CallOptions.DEFAULT.withCompression("gzip")) : plain;
    }

    /** @throws IOException if there are no credentials, or they cannot be read */
    static TopicClient open(PubsubOptions options) throws IOException {
        return new TopicClient(options, PubsubConnection.open(options));
    }

    PubsubOptions options() {
        return options;
    }

    ApiFuture<Topic> look() {
        return client.getTopicCallable()
                .futureCall(GetTopicRequest.newBuilder()
                        .setTopic(options.topic().toString())
                        .build());
    }

    void awaitSlot() throws InterruptedException {
        slots.acquire();
    }

    boolean awaitSlot(Duration limit) throws InterruptedException {
        return slots.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Takes a slot for a request, if one is free and has no waiter. */
    boolean takeFreeSlot() throws InterruptedException {
        return slots.tryAcquire(0, TimeUnit.SECONDS); // the fair variant
    }

    /**
     * Publishes messages of one ordering key, in order: all of them, or none. Uses a slot that was taken, until the
     * response arrives.
     *
     * @throws IOException if this is closed
     */
    ApiFuture<PublishResponse> publish(List<PubsubMessage> messages) throws IOException {
        ApiFuture<PublishResponse> answer;
        try {
            if (closed) {
                throw new IOException("the client is closed; nothing more is published to " + options.topic());
            }
            PublishRequest request = PublishRequest.newBuilder()
                    .setTopic(options.topic().toString())
                    .addAllMessages(messages)
                    .build();
            answer = client.publishCallable().futureCall(request, callContext);
        } catch (Throwable t) {
            slots.release();
            throw t;
        }
        onTheirWay.add(answer);
        answer.addListener(() -> ended(answer), Runnable::run);
        return answer;
    }

    private void ended(ApiFuture<?> answer) {
        onTheirWay.remove(answer);
        slots.release();
    }

    /**
     * Accepts no further requests, waits briefly for those in flight, cancels the rest, and releases connections and
     * threads. Closing again is harmless.
     */
    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        try {
            if (slots.tryAcquire(options.maxRequests(), DRAIN.toMillis(), TimeUnit.MILLISECONDS)) {
                slots.release(options.maxRequests());
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        onTheirWay.forEach(answer -> answer.cancel(true));
        client.shutdownNow();
        try {
            client.awaitTermination(TERMINATION.toMillis(), TimeUnit.MILLISECONDS);
            ClientThreads.awaitEnd(TERMINATION);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

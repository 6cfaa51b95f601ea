package dev.spream.sink.pubsub;

import com.google.api.core.ApiService;
import com.google.cloud.pubsub.v1.AckReplyConsumerWithResponse;
import com.google.cloud.pubsub.v1.MessageReceiverWithAckResponse;
import com.google.cloud.pubsub.v1.Subscriber;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives from a subscription with Google's client, which extends the ack deadlines of unacknowledged messages, and
 * stops receiving while their number or size is at its limit. The client calls this with the messages of an ordering
 * key in order, each as soon as the previous call has returned; a call only puts its message into the queue, so no key
 * waits for an acknowledgement.
 *
 * <p>A client that fails has ended; the failure is thrown by a poll, and the next poll starts another client.
 */
final class PubsubFeed implements EventFeed, MessageReceiverWithAckResponse {
    private static final Logger log = LoggerFactory.getLogger(PubsubFeed.class);
    private static final Duration TERMINATION = Duration.ofSeconds(10);
    private static final Duration ACKNOWLEDGED = Duration.ofSeconds(5);

    private record Received(String messageId, AckReplyConsumerWithResponse reply) {}

    private final String subscription;
    private final SubscriberClients clients;
    private final Consumer<PubsubFeed> onClose;
    private final AckAnswers answers;
    private final FeedQueue<Received> queue = new FeedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock.
    private @Nullable Subscriber running;
    private boolean closed;

    /** @param onClose called once, when no more messages are received */
    PubsubFeed(String subscription, SubscriberClients clients, Consumer<PubsubFeed> onClose) {
        this.subscription = subscription;
        this.clients = clients;
        this.onClose = onClose;
        this.answers = new AckAnswers(subscription);
    }

    void start() {
        lock.lock();
        try {
            if (running == null && !closed) {
                Subscriber client = clients.subscriber(subscription, this);
                client.addListener(
                        new ApiService.Listener() {
                            @Override
                            public void failed(ApiService.State from, Throwable failure) {
                                ended(client, failure);
                            }
                        },
                        Runnable::run);
                running = client;
                client.startAsync();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The client has returned all received messages that were not polled, before another client is started. */
    private void ended(Subscriber client, Throwable failure) {
        lock.lock();
        try {
            queue.withdraw(received -> true);
            queue.fail(SubscriptionCheck.failed(subscription, failure));
            if (client.equals(running)) {
                running = null;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void receiveMessage(PubsubMessage message, AckReplyConsumerWithResponse reply) {
        Received received = new Received(message.getMessageId(), reply);
        queue.add(List.of(new FeedQueue.Delivery<>(received, EventMessages.item(message))));
    }

    @Override
    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
        start();
        return queue.poll(limit, wait);
    }

    @Override
    public void acknowledge(Collection<FeedItem> items) {
        for (Received received : queue.settle(items)) {
            answers.watch(received.messageId(), received.reply().ack());
        }
    }

    long refusedAcknowledgements() {
        return answers.refused();
    }

    @Override
    public void close() {
        queue.close();
        stop();
    }

    /** Ends the feed because its source is closed. */
    void end() {
        queue.end(() -> new StorageException(
                "receiving from %s failed: the event source is closed; open another one, to which unacknowledged messages are delivered again"
                        .formatted(subscription),
                false,
                null));
        stop();
    }

    private void stop() {
        Subscriber client;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            client = running;
        } finally {
            lock.unlock();
        }
        if (client != null) {
            stop(client);
        }
        onClose.accept(this);
    }

    /** Sends acknowledgements first: a client that stops returns messages whose acknowledgement it has not sent. */
    private void stop(Subscriber client) {
        if (client.isRunning()) {
            answers.awaitSent(ACKNOWLEDGED);
        }
        try {
            client.stopAsync().awaitTerminated(TERMINATION.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.warn(
                    "the client of {} did not end within {}; its unacknowledged messages are delivered again after the ack deadline",
                    subscription,
                    DurationText.of(TERMINATION));
        } catch (IllegalStateException e) {
            log.debug("the client of {} had failed before it was closed", subscription, LoggedFailure.of(e));
        }
    }
}

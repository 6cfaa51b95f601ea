package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * Reads a change stream and hands every change to a consumer, at least once and, for one primary key, in commit order.
 *
 * <pre>{@code
 * try (Subscriber subscriber = Subscriber.builder(source, storage).build()) {
 *     subscriber.run(change -> index.apply(change));
 * }
 * }</pre>
 *
 * <p>{@link #run} blocks until the end timestamp is reached, or until {@link #shutdown} or {@link #close}; both may be
 * called from any thread, several times, before, during and after {@code run}. A subscriber runs once. It closes neither
 * the source nor the storage.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>No change that Spanner returned is skipped, whatever crashes at whatever moment. A stored watermark W means
 *       that every change of that partition with a commit timestamp before W is settled: consumed, skipped by the error
 *       handler, or stored by the dead letter sink. After a restart, changes from the watermark on are delivered again,
 *       including those at exactly its timestamp, even if they were settled; {@link
 *       dev.spream.core.record.DataChangeRecord#identity()} identifies them.
 *   <li>With {@link dev.spream.core.consume.Ordering#PARTITION} and {@link dev.spream.core.consume.Ordering#KEY}, the
 *       changes of one primary key are consumed one at a time in commit order, across retries and from a parent to its
 *       children. After a crash a key's history is delivered again from an
 *       earlier change on.
 *   <li>A partition is finished only with proof of its end. Everything else is a reconnect, or an exception from {@code
 *       run}.
 *   <li>At most {@link SubscriberOptions#maxInflight()} changes of a partition are read and not settled; over all
 *       partitions no more than {@link SubscriberOptions#maxBufferedChanges()} and {@link
 *       SubscriberOptions#maxBufferedBytes()}, where every partition may hold one in any case.
 * </ul>
 */
public final class Subscriber implements AutoCloseable {
    private final EngineContext context;
    private final RunLifecycle<SubscriptionRun> subscription = new RunLifecycle<>("subscriber");

    private Subscriber(
            ChangeStreamSource source,
            PartitionStorage storage,
            SubscriberOptions options,
            MonotonicTime time,
            RandomGenerator random,
            boolean readsAhead) {
        this.context = EngineContext.of(source, storage, options, time, random, readsAhead);
    }

    /** Builds a subscriber of that stream, with its state in that storage. */
    public static Builder builder(ChangeStreamSource source, PartitionStorage storage) {
        return new Builder(requireNonNull(source, "source"), requireNonNull(storage, "storage"));
    }

    /** Runs the subscription with a consumer that needs only the change. See {@link #run(Consumer)}. */
    public CompletionReason run(ChangeHandler consumer) {
        return run((Consumer) consumer);
    }

    /**
     * Runs the subscription: opens or continues it in the storage, reads all partitions that become free, and hands
     * their changes to the consumer. Returns when everything up to the end timestamp is settled, or when it is
     * stopped; then the watermarks are stored and the partitions released. An interrupt of the calling thread acts
     * like {@link #close}.
     *
     * @return how it ended
     * @throws SpreamException if the subscription could not start or had to stop: the consumer failed and the error
     *     handler decided to stop, or the stream or the storage failed with a non-retryable error. Settled changes
     *     are stored as such.
     * @throws IllegalStateException if this subscriber has run before
     */
    public CompletionReason run(Consumer consumer) {
        requireNonNull(consumer, "consumer");
        return subscription
                .run(() -> new SubscriptionRun(context, consumer), SubscriptionRun::run)
                .orElseGet(() -> subscription.isClosed() ? CompletionReason.CLOSED : CompletionReason.SHUT_DOWN);
    }

    /**
     * Stops reading, lets changes that were handed to the consumer finish, stores the watermarks, releases the
     * partitions, and waits for all that, but no longer than the timeout; changes that were read and not started are left
     * for the next run. Before the last quarter of the timeout, of 0.5 to 5 seconds, the consumer is interrupted as by {@link
     * #close}; a run that has not ended then at the timeout ends by itself some seconds later. Called by a consumer, an
     * error handler or a listener, it does not wait.
     *
     * @return whether it was done without an interrupt; true if {@link #run} has not been called, or has ended
     */
    public boolean shutdown(Duration timeout) {
        return subscription.shutdown(timeout);
    }

    /**
     * Interrupts the consumer, stores the watermarks of changes settled without a gap, and releases the partitions.
     * Waits for {@link #run} to end, for half a minute at most; a consumer that ignores the interrupt keeps its
     * partition until the lease runs out. Other calls of user code, of a flush for example, have a second to return
     * before they are interrupted, and three more before {@code run} ends without them; the log names them. Called by
     * a consumer, an error handler or a listener, it does not wait.
     */
    @Override
    public void close() {
        subscription.close();
    }

    /**
     * Returns whether the thread is one of this subscriber's own: it is in {@link #run}, or calls a consumer, an error handler
     * or a listener. Such a thread must not wait for the end of the run, which waits for it.
     */
    public boolean ownsThread(Thread thread) {
        return subscription.ownsThread(thread);
    }

    /**
     * Returns the low watermark, as far as this worker knows it: every change before it is settled, by whichever worker.
     */
    public Optional<Instant> lowWatermark() {
        return subscription.begun().flatMap(SubscriptionRun::lowWatermark);
    }

    /** Collects the parts of a subscriber. Confined to one thread. */
    public static final class Builder {
        private final ChangeStreamSource source;
        private final PartitionStorage storage;
        private SubscriberOptions options = SubscriberOptions.defaults();
        private MonotonicTime time = MonotonicTime.SYSTEM;
        private RandomGenerator random = new Random();
        private boolean readsAhead = true;

        private Builder(ChangeStreamSource source, PartitionStorage storage) {
            this.source = source;
            this.storage = storage;
        }

        /** Replaces all options. */
        public Builder options(SubscriberOptions options) {
            this.options = requireNonNull(options, "options");
            return this;
        }

        /** Changes some options: {@code .options(o -> o.maxInflight(32))}. */
        public Builder options(UnaryOperator<SubscriberOptions.Builder> change) {
            this.options = change.apply(options.toBuilder()).build();
            return this;
        }

        /** Sets the clock, for tests that control time. */
        Builder time(MonotonicTime time) {
            this.time = time;
            return this;
        }

        /** Sets the source of jitter, for repeatable tests. It must be safe for use by many threads. */
        Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        /** Sets whether partitions are read ahead of unfinished parents, for comparisons. */
        Builder readsAhead(boolean readsAhead) {
            this.readsAhead = readsAhead;
            return this;
        }

        public Subscriber build() {
            return new Subscriber(source, storage, options, time, random, readsAhead);
        }
    }
}

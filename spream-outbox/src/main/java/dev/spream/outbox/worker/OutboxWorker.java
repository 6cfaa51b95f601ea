package dev.spream.outbox.worker;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Sends the entries of an outbox and settles each of them once.
 *
 * <pre>{@code
 * try (OutboxWorker worker = OutboxWorker.builder(store, sender).options(options).build()) {
 *     worker.run();
 * }
 * }</pre>
 *
 * <p>The sender of the builder sends the entries without a destination; each destination has another, with limits, a circuit
 * breaker and a capacity of its own: {@link Builder#sender}. An entry whose destination has no sender in any worker stays
 * pending until one has; workers log such destinations as warnings. Workers that share an outbox share its ordering keys, so
 * each needs the senders of all destinations that are used with ordering keys.
 *
 * <p>{@link #run} blocks until {@link #shutdown} or {@link #close}; both may be called from any thread, several times, before,
 * during and after {@code run}. A worker runs once. It closes neither the store nor the sender. Any number of workers may share
 * an outbox, in one process or in many.
 *
 * <p>Guarantees, for any number of workers and any crash:
 *
 * <ul>
 *   <li>Every entry is sent at least once, unless it expires or is aborted before. It is settled once, in the ledger and in
 *       the outbox together, and only an operator can change it afterwards.
 *   <li>An entry that may have reached the receiver is sent again only if the sender is {@linkplain
 *       OutboxSender.Guarantee#IDEMPOTENT idempotent}, or a query of the receiver showed that the entry did not reach it;
 *       otherwise it is parked for an operator. It is aborted as failed only if {@link UnknownFailure#ABORT} is configured.
 *   <li>Entries of one destination and ordering key are sent one at a time, in the order of their ids, each after the one before is settled.
 *   <li>At most {@link OutboxSenderOptions#concurrency()} entries are being sent at a time by each sender, and a slow one
 *       delays only the later ones of its destination and ordering key.
 *   <li>An entry whose lease could not be renewed is abandoned before the lease can have ended, by this worker's own clock, and
 *       its outcome is dropped. Late writes of a worker that was paused past its lease have no effect.
 * </ul>
 *
 * <p>A failing store does not stop a worker, which continues to retry.
 */
public final class OutboxWorker implements AutoCloseable {

    private final OutboxStore store;
    private final List<SenderRoute.Sending> senders;
    private final OutboxOwner owner;
    private final OutboxWorkerOptions options;
    private final MonotonicTime time;
    private final RandomGenerator random;
    private final RunLifecycle<OutboxWorkerRun> run = new RunLifecycle<>("outbox worker");

    private OutboxWorker(Builder builder) {
        this.store = builder.store;
        this.options = builder.options;
        this.senders = builder.senders.entrySet().stream()
                .map(sender -> sender.getValue().sending(sender.getKey(), options.sender()))
                .toList();
        this.owner = OutboxOwner.of(options.name());
        this.time = builder.time;
        this.random = builder.random;
    }

    /** Returns a builder of a worker that sends the entries of the store without a destination with the sender. */
    public static Builder builder(OutboxStore store, OutboxSender sender) {
        Builder builder = builder(store);
        builder.senders.put("", new Builder.Added(requireNonNull(sender, "sender"), Optional.empty()));
        return builder;
    }

    /** Returns a builder of a worker that sends the entries of the store with the senders that are added. */
    public static Builder builder(OutboxStore store) {
        return new Builder(requireNonNull(store, "store"));
    }

    /**
     * Sends entries until the worker is stopped; then entries that were sent are settled, and the others are released.
     * An interrupt of the calling thread acts like {@link #close}.
     *
     * @throws IllegalStateException if this worker has run before
     */
    public void run() {
        run.run(() -> new OutboxWorkerRun(store, senders, owner, options, time, random), running -> {
            running.run();
            return true;
        });
    }

    /**
     * Stops claiming, releases claims whose attempts have not started, and waits until the started attempts have
     * finished and are settled, but no longer than the timeout: before its last quarter, of 0.5 to 5 seconds, the attempts are
     * interrupted as by {@link #close}. Results that the store does not take within some seconds are dropped, and claims and
     * segments that it does not take back stay held until their leases expire. When called by the sender or a listener, it
     * starts the shutdown and does not wait.
     *
     * @return whether all attempts finished without an interrupt; true if {@link #run} was not called or has ended
     */
    public boolean shutdown(Duration timeout) {
        return run.shutdown(timeout);
    }

    /**
     * Interrupts the attempts in progress, settles their outcomes, and releases the other claims. Waits at most 30
     * seconds for {@link #run} to end; an entry whose sender ignores the interrupt stays claimed until its lease
     * expires. When called by the sender or a listener, it does not wait.
     */
    @Override
    public void close() {
        run.close();
    }

    /** Returns the identity of this worker in the store. */
    public OutboxOwner owner() {
        return owner;
    }

    /** A builder of workers. Confined to one thread. */
    public static final class Builder {
        private final OutboxStore store;
        private final Map<String, Added> senders = new LinkedHashMap<>();
        private OutboxWorkerOptions options = OutboxWorkerOptions.defaults();
        private MonotonicTime time = MonotonicTime.SYSTEM;
        private RandomGenerator random = new Random();

        private record Added(OutboxSender sender, Optional<OutboxSenderOptions> options) {
            SenderRoute.Sending sending(String destination, OutboxSenderOptions defaults) {
                return new SenderRoute.Sending(destination, sender, options.orElse(defaults));
            }
        }

        private Builder(OutboxStore store) {
            this.store = store;
        }

        /** Adds the sender of a destination, with the sender options of the {@linkplain #options worker}. */
        public Builder sender(String destination, OutboxSender sender) {
            return add(destination, new Added(requireNonNull(sender, "sender"), Optional.empty()));
        }

        /**
         * Adds the sender of a destination. One object may send for several destinations, each with limits of its own.
         *
         * @throws IllegalArgumentException if the destination has a sender, or is no name of one
         */
        public Builder sender(String destination, OutboxSender sender, OutboxSenderOptions options) {
            return add(
                    destination,
                    new Added(requireNonNull(sender, "sender"), Optional.of(requireNonNull(options, "options"))));
        }

        private Builder add(String destination, Added sender) {
            if (senders.putIfAbsent(OutboxMessage.requireDestination(destination), sender) != null) {
                throw new IllegalArgumentException("destination '%s' has a sender already".formatted(destination));
            }
            return this;
        }

        /** Replaces all options. */
        public Builder options(OutboxWorkerOptions options) {
            this.options = requireNonNull(options, "options");
            return this;
        }

        /** Sets the clock, for tests that control the time. */
        Builder time(MonotonicTime time) {
            this.time = time;
            return this;
        }

        /** Sets the source of jitter, for reproducible tests; used by many threads. */
        Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        /**
         * Returns the worker.
         *
         * @throws IllegalStateException if it has no sender
         */
        public OutboxWorker build() {
            if (senders.isEmpty()) {
                throw new IllegalStateException("the worker has no sender; add one for each destination");
            }
            return new OutboxWorker(this);
        }
    }
}

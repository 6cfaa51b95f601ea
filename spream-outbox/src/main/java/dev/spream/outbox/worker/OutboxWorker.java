package dev.spream.outbox.worker;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import java.time.Duration;
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
 *   <li>Entries of one ordering key are sent one at a time, in the order of their ids, each after the one before is settled.
 *   <li>At most {@link OutboxWorkerOptions#concurrency()} entries are being sent at a time, and a slow one delays only the
 *       later ones of its ordering key.
 *   <li>An entry whose lease could not be renewed is abandoned before the lease can have ended, by this worker's own clock, and
 *       its outcome is dropped. Late writes of a worker that was paused past its lease have no effect.
 * </ul>
 *
 * <p>A failing store does not stop a worker, which continues to retry.
 */
public final class OutboxWorker implements AutoCloseable {

    private final OutboxStore store;
    private final OutboxSender sender;
    private final OutboxOwner owner;
    private final OutboxWorkerOptions options;
    private final MonotonicTime time;
    private final RandomGenerator random;
    private final RunLifecycle<OutboxWorkerRun> run = new RunLifecycle<>("outbox worker");

    private OutboxWorker(Builder builder) {
        this.store = builder.store;
        this.sender = builder.sender;
        this.options = builder.options;
        this.owner = OutboxOwner.of(options.name());
        this.time = builder.time;
        this.random = builder.random;
    }

    /** Returns a builder of a worker that sends the entries of the store with the sender. */
    public static Builder builder(OutboxStore store, OutboxSender sender) {
        return new Builder(requireNonNull(store, "store"), requireNonNull(sender, "sender"));
    }

    /**
     * Sends entries until the worker is stopped; then entries that were sent are settled, and the others are released.
     * An interrupt of the calling thread acts like {@link #close}.
     *
     * @throws IllegalStateException if this worker has run before
     */
    public void run() {
        run.run(() -> new OutboxWorkerRun(store, sender, owner, options, time, random), running -> {
            running.run();
            return true;
        });
    }

    /**
     * Stops claiming, releases claims whose attempts have not started, and waits until the started attempts have
     * finished and are settled. If that takes longer than the timeout, {@link #close} is called. When called by the
     * sender or a listener, it starts the shutdown and does not wait.
     *
     * @return whether the shutdown finished in time; true if {@link #run} was not called or has ended
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
        private final OutboxSender sender;
        private OutboxWorkerOptions options = OutboxWorkerOptions.defaults();
        private MonotonicTime time = MonotonicTime.SYSTEM;
        private RandomGenerator random = new Random();

        private Builder(OutboxStore store, OutboxSender sender) {
            this.store = store;
            this.sender = sender;
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

        public OutboxWorker build() {
            return new OutboxWorker(this);
        }
    }
}

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
 * <p>What it promises, however many workers there are and whatever crashes when:
 *
 * <ul>
 *   <li>Every entry is sent at least once, unless it expires or is aborted before; and it is settled once, in the ledger and in
 *       the outbox together, and never changed afterwards.
 *   <li>An entry that may have reached the receiver is sent again only if the sender is {@linkplain
 *       OutboxSender.Guarantee#IDEMPOTENT idempotent}, or the receiver was queried and does not have it; otherwise it is parked
 *       for an operator. It is never aborted as failed.
 *   <li>Entries of one ordering key are sent one at a time, in the order of their ids, each after the one before is settled.
 *   <li>At most {@link OutboxWorkerOptions#concurrency()} entries are being sent at a time, and a slow one holds up only the
 *       later ones of its ordering key.
 *   <li>An entry whose lease could not be renewed is abandoned before the lease can have ended, by this worker's own clock, and
 *       its outcome is dropped. Late writes of a worker that was paused past its lease have no effect.
 * </ul>
 *
 * <p>A store that fails does not end a worker: it continues and tries again.
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

    /** A worker that sends the entries of that store with that sender. */
    public static Builder builder(OutboxStore store, OutboxSender sender) {
        return new Builder(requireNonNull(store, "store"), requireNonNull(sender, "sender"));
    }

    /**
     * Sends entries until told to stop; what was sent is settled then, and the rest given back. An interrupt of the calling
     * thread acts like {@link #close}.
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
     * Stops claiming, gives back what was not started, lets what was started finish and settles it, and waits for all that. If
     * it takes longer than the timeout, {@link #close} is called. Called by the sender or a listener, it starts all that and
     * does not wait.
     *
     * @return whether it was done in time; true if {@link #run} has not been called, or has ended
     */
    public boolean shutdown(Duration timeout) {
        return run.shutdown(timeout);
    }

    /**
     * Interrupts what is being sent, settles what came of it, and gives the rest back. Waits for {@link #run} to end, for half a
     * minute at most; a sender that ignores the interrupt keeps its entry until the lease runs out. Called by the sender or a
     * listener, it does not wait.
     */
    @Override
    public void close() {
        run.close();
    }

    /** This worker's name in the store. */
    public OutboxOwner owner() {
        return owner;
    }

    /** Collects what a worker needs. Confined to one thread. */
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

        /** For tests that drive the time. */
        Builder time(MonotonicTime time) {
            this.time = time;
            return this;
        }

        /** For tests that repeat a run: where jitter comes from; used by many threads. */
        Builder random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        public OutboxWorker build() {
            return new OutboxWorker(this);
        }
    }
}

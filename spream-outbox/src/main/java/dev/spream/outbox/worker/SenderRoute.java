package dev.spream.outbox.worker;

import dev.spream.core.internal.TaskGroup;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxSender;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * One sender of a worker with what it has of its own: the entries of its destination, its capacity, rate and circuit
 * breaker, and two threads, which claim and read ahead. So a receiver that is slow or down delays no other sender's
 * entries. Safe for use by many threads.
 */
final class SenderRoute {
    private final Sending sender;
    private final WorkerStore store;
    private final WorkerSignals signals;
    private final CircuitBreaker breaker;
    private final EntryLifecycle entries;
    private final ClaimLoop claims;
    private final KeyReader reader;

    /**
     * A sender with its destination and options.
     *
     * @param destination empty for the default sender
     */
    record Sending(String destination, OutboxSender sender, OutboxSenderOptions options) {
        String threadName(OutboxWorkerOptions worker, String role) {
            return worker.threadName(destination.isEmpty() ? role : role + "-" + destination);
        }

        /** Returns whether the claim of an entry that was not sent may be lost without a need for an operator. */
        boolean isRepeatable() {
            return sender.guarantee() != OutboxSender.Guarantee.NEITHER;
        }

        /** Returns whether entries may be claimed before there is a slot for them. */
        boolean readsAhead() {
            return isRepeatable() && options.rate().isEmpty();
        }
    }

    /**
     * The parts of a worker that its senders share.
     *
     * @param sending runs each attempt on a thread of its own, and reports failures that stop the worker
     */
    record Shared(
            WorkerStore store,
            HeldSegments held,
            OutboxSegmentKeeper segments,
            ActiveClaims activeClaims,
            SettlementWriter writer,
            TaskGroup sending,
            OutboxWorkerOptions options,
            WorkerEvents events,
            RandomGenerator random) {}

    SenderRoute(Sending sender, CircuitBreakerEvents breaker, Shared worker) {
        this.sender = sender;
        this.store = worker.store();
        this.signals = breaker.signals();
        this.breaker = breaker.breaker();
        OutboxSenderOptions limits = sender.options();
        OutboxWorkerOptions options = worker.options();
        AttemptPolicy policy = new AttemptPolicy(limits, sender.sender().guarantee(), worker.random());
        Attempts attempts =
                new Attempts(sender.sender(), limits.sendTimeout(), policy, breaker, worker.events(), signals);
        OrderedClaimPlanner plan = new OrderedClaimPlanner(options.sweepNanos(), worker.held());
        worker.held().add(plan);
        this.entries = new EntryLifecycle(sender, worker, attempts, plan, signals);
        this.claims = new ClaimLoop(
                store,
                sender.destination(),
                plan,
                worker.segments(),
                this.breaker,
                entries,
                options,
                worker.random(),
                signals);
        this.reader = new KeyReader(store, sender.destination(), plan, options, signals);
    }

    /** Starts the threads that claim and read ahead. */
    void start(TaskGroup threads, OutboxWorkerOptions options) {
        threads.start(sender.threadName(options, "read"), reader::run);
        threads.start(sender.threadName(options, "claim"), claims::run);
    }

    EntryLifecycle entries() {
        return entries;
    }

    /** Notes that entries may have been enqueued. */
    void wake() {
        claims.call();
        signals.reader.signal();
    }

    /**
     * Reserves room for entries that are about to be enqueued. There is none while there is a backlog, which is older,
     * and for a sender that cannot tell after a crash whether an entry was sent.
     */
    Optional<ClaimRoom> reserve(int limit) {
        if (!sender.isRepeatable() || !signals.isRunning() || !breaker.isClosed() || claims.hasBacklog()) {
            return Optional.empty();
        }
        int slots = entries.promise(limit);
        return slots == 0 ? Optional.empty() : Optional.of(new ReservedRoom(store, entries, slots));
    }
}

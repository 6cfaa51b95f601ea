package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.TaskGroup;
import dev.spream.core.internal.Waiter;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a worker: creates the worker's components and owns its threads. There is one thread each for claims,
 * reading ahead, settlements, lease renewal, the watchdog, segments and registration, and the removal of old rows, and
 * one for each attempt, so that no call of the store or of the sender delays another. {@link EntryLifecycle} describes
 * how an entry passes through the components.
 *
 * <p>Shutdown always has this order: claiming stops; claims whose attempts have not started are released, and started
 * attempts finish or are interrupted, while leases are still renewed; settlements are written, with a deadline of their
 * own; the segments are released. A call that does not return after an interrupt is abandoned, and its lease expires.
 */
final class OutboxWorkerRun implements RunLifecycle.Stoppable {
    private static final Logger log = LoggerFactory.getLogger(OutboxWorkerRun.class);
    private static final long CANCEL_GRACE = TimeUnit.SECONDS.toNanos(5);
    private static final long FINAL_WRITES = TimeUnit.SECONDS.toNanos(10);
    private static final long THREAD_END = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORTEST_CHECK = TimeUnit.MICROSECONDS.toNanos(500);

    private final OutboxOwner owner;
    private final OutboxWorkerOptions options;
    private final MonotonicTime time;
    private final WorkerSignals signals;
    private final ActiveClaims activeClaims;
    private final EntryLifecycle entries;
    private final ClaimLoop claims;
    private final KeyReader reader;
    private final SettlementWriter writer;
    private final MaintenanceTask maintenance;
    private final Retention retention;
    private final TaskGroup front;
    private final TaskGroup back;
    private final TaskGroup settling;
    private final TaskGroup sending;
    private final Waiter heartbeat;
    private final Waiter watchdog;

    private volatile boolean ended;
    private volatile @Nullable Thread runner;

    OutboxWorkerRun(
            OutboxStore outbox,
            OutboxSender sender,
            OutboxOwner owner,
            OutboxWorkerOptions options,
            MonotonicTime time,
            RandomGenerator random) {
        this.owner = owner;
        this.options = options;
        this.time = time;
        this.signals = new WorkerSignals(time);
        this.front = new TaskGroup(time, this::failed);
        this.back = new TaskGroup(time, front::fail);
        this.settling = new TaskGroup(time, front::fail);
        this.sending = new TaskGroup(time, front::fail);
        this.heartbeat = new Waiter(time);
        this.watchdog = new Waiter(time);
        WorkerEvents events = new WorkerEvents(
                owner, new SettlementLog(owner, sender.name()), new SafeListeners<>(options.listeners()));
        StoreHealth calls = new StoreHealth(owner, events.listeners());
        WorkerStore store = new WorkerStore(outbox, owner, options.lease(), time, calls);
        CircuitBreaker breaker = new CircuitBreaker(
                options.breakerFailures(), options.breakerPause().toNanos());
        CircuitBreakerEvents reports = new CircuitBreakerEvents(breaker, options, events, signals);
        AttemptPolicy policy = new AttemptPolicy(options, sender.guarantee(), random);
        Attempts attempts = new Attempts(sender, options.sendTimeout(), policy, reports, events, signals);
        OrderedClaimPlanner plan = new OrderedClaimPlanner(options.sweepNanos());
        OutboxSegmentKeeper segments = new OutboxSegmentKeeper(store, plan, time);
        this.activeClaims = new ActiveClaims(store, options, reports, events, time);
        this.writer = new SettlementWriter(store, activeClaims, events, time, random);
        ReadAhead ahead = new ReadAhead(isRepeatable(sender.guarantee()) ? options.concurrency() : 0);
        this.entries =
                new EntryLifecycle(attempts, writer, activeClaims, plan, options, events, signals, sending, ahead);
        this.claims = new ClaimLoop(store, plan, segments, breaker, entries, options, random, signals);
        this.reader = new KeyReader(store, plan, options, signals);
        this.maintenance = new MaintenanceTask(
                store,
                new Enqueues(sender.guarantee(), store, breaker),
                segments,
                breaker,
                options,
                events,
                random,
                signals);
        this.retention = new Retention(store, options, events, random, signals);
    }

    /** Returns whether the claim of an entry that was not sent may be lost without a need for an operator. */
    private static boolean isRepeatable(OutboxSender.Guarantee guarantee) {
        return guarantee != OutboxSender.Guarantee.NEITHER;
    }

    /**
     * The worker as the outboxes of its process see it. Entries are not claimed as they are enqueued while there is a
     * backlog, which is older, and for a sender that cannot tell after a crash whether an entry was sent.
     */
    private final class Enqueues implements OutboxStore.Watcher {
        private final boolean claimable;
        private final WorkerStore store;
        private final CircuitBreaker breaker;

        private Enqueues(OutboxSender.Guarantee guarantee, WorkerStore store, CircuitBreaker breaker) {
            this.claimable = isRepeatable(guarantee);
            this.store = store;
            this.breaker = breaker;
        }

        @Override
        public void wake() {
            claims.call();
            signals.reader.signal();
        }

        @Override
        public Optional<ClaimRoom> reserve(int limit) {
            if (!claimable || !signals.isRunning() || !breaker.isClosed() || claims.hasBacklog()) {
                return Optional.empty();
            }
            int slots = entries.promise(limit);
            return slots == 0 ? Optional.empty() : Optional.of(new ReservedRoom(store, entries, slots));
        }
    }

    void run() {
        runner = Thread.currentThread();
        back.start(options.threadName("leases"), this::renewLeases);
        back.start(options.threadName("clock"), this::watchClock);
        back.start(options.threadName("maintenance"), maintenance::run);
        back.start(options.threadName("retention"), retention::run);
        settling.start(options.threadName("settle"), () -> writer.run(entries::ended));
        front.start(options.threadName("read"), reader::run);
        front.start(options.threadName("claim"), claims::run);
        log.info("[{}] the outbox worker {} has started", owner.name(), owner);
        boolean interrupted = false;
        while (true) {
            try {
                end(interrupted);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                cancel();
            }
        }
        log.info("[{}] the outbox worker {} has ended", owner.name(), owner);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        front.rethrow(t -> new IllegalStateException("the outbox worker stopped because of a failure", t));
    }

    /** Performs the shutdown. May be repeated after an interrupt, since every step is repeatable. */
    private void end(boolean interrupted) throws InterruptedException {
        while (!interrupted && signals.isRunning()) {
            signals.runner.await(TimeUnit.HOURS.toNanos(1));
        }
        joinOrWarn(front, "claiming");
        awaitAttempts();
        writer.finish(time.nanoTime() + FINAL_WRITES);
        joinOrWarn(settling, "settling");
        ended = true;
        maintenance.stop();
        heartbeat.signal();
        watchdog.signal();
        joinOrWarn(back, "keeping leases");
        maintenance.leave();
    }

    private void joinOrWarn(TaskGroup threads, String what) throws InterruptedException {
        if (!threads.join(THREAD_END)) {
            log.error(
                    "[{}] {} has not ended within {}, since the store does not respond; the worker"
                            + " stops without it, and its leases expire",
                    owner.name(),
                    what,
                    DurationText.of(Duration.ofNanos(THREAD_END)));
        }
    }

    private void awaitAttempts() throws InterruptedException {
        while (!entries.isIdle() && !signals.isCancelled()) {
            signals.runner.await(TimeUnit.HOURS.toNanos(1));
        }
        long until = time.nanoTime() + CANCEL_GRACE;
        while (!entries.isIdle() && until - time.nanoTime() > 0) {
            activeClaims.interruptCalls();
            signals.runner.await(until - time.nanoTime());
        }
        if (!entries.isIdle()) {
            log.error(
                    "[{}] calls of the sender did not return when interrupted; their entries stay claimed"
                            + " until their leases expire, within {}",
                    owner.name(),
                    DurationText.of(options.lease()));
            activeClaims.revokeAll();
        } else {
            joinOrWarn(sending, "sending");
        }
    }

    private void renewLeases() throws InterruptedException {
        while (!ended) {
            heartbeat.await(options.lease().toNanos() / 4);
            activeClaims.renew();
        }
    }

    private void watchClock() throws InterruptedException {
        long longest = Math.min(options.sendTimeout().toNanos(), options.lease().toNanos() / 8);
        while (!ended) {
            long next = Math.min(activeClaims.check(), longest);
            watchdog.await(Math.max(next, SHORTEST_CHECK));
        }
    }

    /** Stops claiming and starting attempts; started attempts finish. */
    @Override
    public void drain() {
        signals.stop(WorkerSignals.Stage.DRAINING);
        entries.endTurns();
    }

    /** Like {@link #drain}, and interrupts the started attempts. */
    @Override
    public void cancel() {
        signals.stop(WorkerSignals.Stage.CANCELLED);
        entries.endTurns();
        activeClaims.interruptCalls();
    }

    private void failed(Throwable failure) {
        log.error("[{}] the outbox worker stops because of a failure", owner.name(), LoggedFailure.of(failure));
        drain();
    }

    /** Returns whether the thread belongs to this run, which means that it is in a call of the sender or a listener. */
    @Override
    public boolean isCalledBy(Thread thread) {
        return thread.equals(runner)
                || front.runs(thread)
                || back.runs(thread)
                || settling.runs(thread)
                || sending.runs(thread);
    }
}

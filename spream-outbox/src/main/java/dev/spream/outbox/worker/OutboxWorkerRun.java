package dev.spream.outbox.worker;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.TaskGroup;
import dev.spream.core.internal.Waiter;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a worker: creates the worker's components and owns its threads. There is one thread each for settlements,
 * lease renewal, the watchdog, segments and registration, and the removal of old rows, two for each sender, and one for
 * each attempt, so that no call of the store or of a sender delays another. {@link EntryLifecycle} describes
 * how an entry passes through the components.
 *
 * <p>Shutdown always has this order: claiming stops; claims whose attempts have not started are released, and started
 * attempts finish or are interrupted, while leases are still renewed; settlements are written, with a deadline of their
 * own; the segments are released. A call that does not return after an interrupt is abandoned, and its lease expires. If
 * the store does not respond, the segments are not released, and calls that keep leases are abandoned. Once attempts are
 * interrupted, all steps together take no longer than the caller waits.
 */
final class OutboxWorkerRun implements RunLifecycle.Stoppable {
    private static final Logger log = LoggerFactory.getLogger(OutboxWorkerRun.class);
    private static final long CANCEL_GRACE = TimeUnit.SECONDS.toNanos(5);
    private static final long FINAL_WRITES = TimeUnit.SECONDS.toNanos(5);
    private static final long THREAD_END = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORTEST_CHECK = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long JOIN_CHECK = TimeUnit.MILLISECONDS.toNanos(100);

    /** The latest ends of the steps of a shutdown: of the attempts, of the settlements, and of everything. */
    private record StepEnds(long attempts, long settlements, long all) {
        static StepEnds within(long nanos, long now) {
            return new StepEnds(now + nanos / 2, now + nanos / 4 * 3, now + nanos);
        }

        StepEnds orEarlier(StepEnds other) {
            return other.all - all < 0 ? other : this;
        }
    }

    private final OutboxOwner owner;
    private final OutboxWorkerOptions options;
    private final MonotonicTime time;
    private final long longestCheck;
    private final WorkerSignals signals;
    private final ActiveClaims activeClaims;
    private final Map<String, SenderRoute> routes = new LinkedHashMap<>();
    private final StoreHealth calls;
    private final SettlementWriter writer;
    private final MaintenanceTask maintenance;
    private final Retention retention;
    private final TaskGroup front;
    private final TaskGroup back;
    private final TaskGroup settling;
    private final TaskGroup sending;
    private final Waiter heartbeat;
    private final Waiter watchdog;

    private volatile StepEnds stepEnds;
    private volatile boolean ended;
    private volatile @Nullable Thread runner;

    OutboxWorkerRun(
            OutboxStore outbox,
            List<SenderRoute.Sending> senders,
            OutboxOwner owner,
            OutboxWorkerOptions options,
            MonotonicTime time,
            RandomGenerator random) {
        this.owner = owner;
        this.options = options;
        this.time = time;
        this.stepEnds = StepEnds.within(Long.MAX_VALUE / 2, time.nanoTime());
        this.longestCheck = longestCheck(senders, options);
        this.signals = new WorkerSignals(time);
        this.front = new TaskGroup(time, this::failed);
        this.back = new TaskGroup(time, front::fail);
        this.settling = new TaskGroup(time, front::fail);
        this.sending = new TaskGroup(time, front::fail);
        this.heartbeat = new Waiter(time);
        this.watchdog = new Waiter(time);
        Map<String, String> adapters = senders.stream()
                .collect(toMap(
                        SenderRoute.Sending::destination, each -> each.sender().name()));
        WorkerEvents events =
                new WorkerEvents(owner, new SettlementLog(owner, adapters), new SafeListeners<>(options.listeners()));
        this.calls = new StoreHealth(owner, events.listeners());
        WorkerStore store = new WorkerStore(outbox, owner, options.lease(), time, calls);
        Map<String, CircuitBreakerEvents> breakers = senders.stream()
                .collect(toMap(SenderRoute.Sending::destination, each -> breaker(each, events, signals)));
        HeldSegments held = new HeldSegments();
        OutboxSegmentKeeper segments = new OutboxSegmentKeeper(store, held, time);
        this.activeClaims = new ActiveClaims(store, options, breakers, events, time);
        this.writer = new SettlementWriter(store, activeClaims, events, time, random);
        SenderRoute.Shared shared =
                new SenderRoute.Shared(store, held, segments, activeClaims, writer, sending, options, events, random);
        senders.forEach(sender -> routes.put(
                sender.destination(),
                new SenderRoute(sender, requireNonNull(breakers.get(sender.destination())), shared)));
        this.maintenance =
                new MaintenanceTask(store, new Enqueues(), segments, breakers, options, events, random, signals);
        this.retention = new Retention(store, options, events, random, signals);
    }

    private static long longestCheck(List<SenderRoute.Sending> senders, OutboxWorkerOptions options) {
        return senders.stream()
                .mapToLong(sender -> sender.options().sendTimeout().toNanos())
                .reduce(options.lease().toNanos() / 8, Math::min);
    }

    private static CircuitBreakerEvents breaker(
            SenderRoute.Sending sender, WorkerEvents events, WorkerSignals signals) {
        OutboxSenderOptions options = sender.options();
        CircuitBreaker breaker = new CircuitBreaker(
                options.breakerFailures(), options.breakerPause().toNanos());
        return new CircuitBreakerEvents(breaker, sender.destination(), options, events, signals.forSender());
    }

    /** The worker as the outboxes of its process see it. */
    private final class Enqueues implements OutboxStore.Watcher {
        @Override
        public void wake() {
            routes.values().forEach(SenderRoute::wake);
        }

        @Override
        public Optional<ClaimRoom> reserve(String destination, int limit) {
            SenderRoute route = routes.get(destination);
            return route == null ? Optional.empty() : route.reserve(limit);
        }
    }

    void run() {
        runner = Thread.currentThread();
        back.start(options.threadName("leases"), this::renewLeases);
        back.start(options.threadName("clock"), this::watchClock);
        back.start(options.threadName("maintenance"), maintenance::run);
        back.start(options.threadName("retention"), retention::run);
        settling.start(options.threadName("settle"), () -> writer.run(this::ended));
        routes.values().forEach(route -> route.start(front, options));
        log.info("[{}] the outbox worker {} has started", owner.name(), owner);
        boolean interrupted = false;
        while (true) {
            try {
                end(interrupted);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                cancel(RunLifecycle.CLOSE_WITHIN);
            }
        }
        log.info("[{}] the outbox worker {} has ended", owner.name(), owner);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        front.rethrow(t -> new IllegalStateException("the outbox worker stopped because of a failure", t));
    }

    private void ended(List<SettlementWriter.Pending> settled, List<SettlementWriter.Pending> lost) {
        Map<String, List<SettlementWriter.Pending>> settledOf = byDestination(settled);
        Map<String, List<SettlementWriter.Pending>> lostOf = byDestination(lost);
        routes.forEach((destination, route) -> {
            List<SettlementWriter.Pending> settledHere = settledOf.getOrDefault(destination, List.of());
            List<SettlementWriter.Pending> lostHere = lostOf.getOrDefault(destination, List.of());
            if (!settledHere.isEmpty() || !lostHere.isEmpty()) {
                route.entries().ended(settledHere, lostHere);
            }
        });
    }

    private static Map<String, List<SettlementWriter.Pending>> byDestination(List<SettlementWriter.Pending> pending) {
        return pending.stream().collect(groupingBy(each -> each.held().destination()));
    }

    /** Performs the shutdown. May be repeated after an interrupt, since every step is repeatable. */
    private void end(boolean interrupted) throws InterruptedException {
        while (!interrupted && signals.isRunning()) {
            signals.runner.await(TimeUnit.HOURS.toNanos(1));
        }
        joinOrWarn(front, "claiming", StepEnds::attempts);
        awaitAttempts();
        long finishBy = time.nanoTime() + FINAL_WRITES;
        writer.finish(() -> MonotonicTime.earlier(finishBy, stepEnds.settlements()));
        joinOrWarn(settling, "settling", StepEnds::settlements);
        ended = true;
        maintenance.stop();
        heartbeat.signal();
        watchdog.signal();
        if (!calls.isAnswered()) {
            log.warn(
                    "[{}] the outbox worker {} ends while the store does not respond; what it has not settled stays"
                            + " claimed, and its segments stay held, until their leases expire, within {}",
                    owner.name(),
                    owner,
                    DurationText.of(options.lease()));
            return;
        }
        joinOrWarn(back, "keeping leases", StepEnds::all);
        back.start(options.threadName("leave"), maintenance::leave);
        joinOrWarn(back, "releasing segments", StepEnds::all);
    }

    private void joinOrWarn(TaskGroup threads, String what, ToLongFunction<StepEnds> end) throws InterruptedException {
        long startedAt = time.nanoTime();
        while (!threads.join(JOIN_CHECK)) {
            long now = time.nanoTime();
            if (now - startedAt >= THREAD_END || now - end.applyAsLong(stepEnds) >= 0) {
                log.error(
                        "[{}] {} has not ended within {}, since the store does not respond; the worker"
                                + " stops without it, and its leases expire",
                        owner.name(),
                        what,
                        DurationText.of(Duration.ofNanos(now - startedAt)));
                return;
            }
        }
    }

    private boolean isIdle() {
        return routes.values().stream().allMatch(route -> route.entries().isIdle());
    }

    private void endTurns() {
        routes.values().forEach(route -> route.entries().endTurns());
    }

    private void awaitAttempts() throws InterruptedException {
        while (!isIdle() && !signals.isCancelled()) {
            signals.runner.await(TimeUnit.HOURS.toNanos(1));
        }
        long until = time.nanoTime() + CANCEL_GRACE;
        LongSupplier left = () -> MonotonicTime.earlier(until, stepEnds.attempts()) - time.nanoTime();
        while (!isIdle() && left.getAsLong() > 0) {
            activeClaims.interruptCalls();
            signals.runner.await(left.getAsLong());
        }
        if (!isIdle()) {
            log.error(
                    "[{}] calls of the sender did not return when interrupted; their entries stay claimed"
                            + " until their leases expire, within {}",
                    owner.name(),
                    DurationText.of(options.lease()));
            activeClaims.revokeAll();
        } else {
            joinOrWarn(sending, "sending", StepEnds::attempts);
        }
    }

    private void renewLeases() throws InterruptedException {
        while (!ended) {
            heartbeat.await(options.lease().toNanos() / 4);
            activeClaims.renew();
        }
    }

    private void watchClock() throws InterruptedException {
        while (!ended) {
            long next = Math.min(activeClaims.check(), longestCheck);
            watchdog.await(Math.max(next, SHORTEST_CHECK));
        }
    }

    /** Stops claiming and starting attempts; started attempts finish. */
    @Override
    public void drain() {
        signals.stop(WorkerSignals.Stage.DRAINING);
        endTurns();
    }

    /** Like {@link #drain}, and interrupts the started attempts. A repeated call, such as a close, puts no end off. */
    @Override
    public void cancel(Duration within) {
        bringForward(StepEnds.within(TimeUnit.NANOSECONDS.convert(within), time.nanoTime()));
        signals.stop(WorkerSignals.Stage.CANCELLED);
        endTurns();
        activeClaims.interruptCalls();
    }

    private synchronized void bringForward(StepEnds asked) {
        stepEnds = stepEnds.orEarlier(asked);
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

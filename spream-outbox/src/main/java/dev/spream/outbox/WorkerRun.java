package dev.spream.outbox;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.Alarm;
import dev.spream.core.internal.SingleRun;
import dev.spream.core.internal.TaskGroup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a worker: owns its threads. One claims, one reads ahead, one settles, one renews leases, one watches the clock,
 * one does the upkeep, one removes what is old, and each attempt has its own; so no call of the store, or of the sender, holds
 * another up.
 *
 * <p>It ends in this order, whatever the reason: nothing is claimed any more; what was not started is released, and what was
 * started finishes, or is interrupted; leases are renewed until then; settlements are written, with a deadline of their own;
 * the lanes are left. A call that does not return from its interrupt is left behind, and its lease runs out.
 */
final class WorkerRun implements SingleRun.Stoppable {
    private static final Logger log = LoggerFactory.getLogger(WorkerRun.class);
    private static final long CANCEL_GRACE = TimeUnit.SECONDS.toNanos(5);
    private static final long FINAL_WRITES = TimeUnit.SECONDS.toNanos(10);
    private static final long THREAD_END = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORTEST_CHECK = TimeUnit.MICROSECONDS.toNanos(500);

    private final WorkerContext context;
    private final LeaseBook book;
    private final Breaker breaker;
    private final BreakerReports reports;
    private final AttemptPolicy policy;
    private final DueTimes dueTimes = new DueTimes();
    private final Slots slots;
    private final KeyPlan plan;
    private final LaneKeeper lanes;
    private final KeyReader reader;
    private final ClaimLoop claims;
    private final SettlementWriter writer;
    private final Upkeep upkeep;
    private final Retention retention;
    private final SettlementLog settlementLog;
    private final TaskGroup front;
    private final TaskGroup back;
    private final TaskGroup settling;
    private final Alarm runnerWake;
    private final Alarm heartbeat;
    private final Alarm watchdog;
    private final String attemptThread;

    private volatile boolean ended;
    private volatile @Nullable Thread runner;

    WorkerRun(WorkerContext context) {
        OutboxWorkerOptions options = context.options();
        long sweepEvery = Upkeep.sweepEvery(options);
        this.context = context;
        this.breaker =
                new Breaker(options.breakerFailures(), options.breakerPause().toNanos());
        this.reports = new BreakerReports(context, breaker, this::breakerChanged);
        this.book = new LeaseBook(context, reports);
        this.policy = new AttemptPolicy(options, context.sender().guarantee(), context.random());
        this.slots = new Slots(options.concurrency(), context.claimsWake());
        this.plan = new KeyPlan(sweepEvery);
        this.lanes = new LaneKeeper(context, plan);
        this.reader = new KeyReader(context, plan, sweepEvery);
        this.claims = new ClaimLoop(context, plan, lanes, book, breaker, dueTimes, slots, this::startAttempt, reader);
        this.writer = new SettlementWriter(context, book, this::settled);
        this.upkeep = new Upkeep(context, lanes, breaker, this::called, reader::hurry);
        this.retention = new Retention(context);
        this.settlementLog = new SettlementLog(context.owner(), context.sender().name());
        this.front = new TaskGroup(context.time(), this::failed);
        this.back = new TaskGroup(context.time(), front::fail);
        this.settling = new TaskGroup(context.time(), front::fail);
        this.runnerWake = new Alarm(context.time());
        this.heartbeat = new Alarm(context.time());
        this.watchdog = new Alarm(context.time());
        this.attemptThread = context.threadName("send");
    }

    void run() {
        runner = Thread.currentThread();
        back.start(context.threadName("leases"), this::renewLeases);
        back.start(context.threadName("clock"), this::watchClock);
        back.start(context.threadName("upkeep"), upkeep::run);
        back.start(context.threadName("retention"), retention::run);
        settling.start(context.threadName("settle"), writer::run);
        front.start(context.threadName("read"), reader::run);
        front.start(context.threadName("claim"), claims::run);
        log.info("[{}] the outbox worker {} has started", context.owner().name(), context.owner());
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
        log.info("[{}] the outbox worker {} has ended", context.owner().name(), context.owner());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        front.rethrow(t -> new IllegalStateException("the outbox worker stopped because of a failure", t));
    }

    /** Every step may be repeated, after an interrupt. */
    private void end(boolean interrupted) throws InterruptedException {
        while (!interrupted && context.stop().isRunning()) {
            runnerWake.await(TimeUnit.HOURS.toNanos(1));
        }
        joinOrTell(front, "claiming");
        awaitAttempts();
        writer.finish(context.now() + FINAL_WRITES);
        joinOrTell(settling, "settling");
        ended = true;
        upkeep.stop();
        heartbeat.raise();
        watchdog.raise();
        joinOrTell(back, "keeping leases");
        upkeep.leave();
    }

    private void joinOrTell(TaskGroup threads, String what) throws InterruptedException {
        if (!threads.join(THREAD_END)) {
            log.error(
                    "[{}] {} has not ended within {}, since the store does not answer; the worker ends without it, and leases run out",
                    context.owner().name(),
                    what,
                    DurationText.of(Duration.ofNanos(THREAD_END)));
        }
    }

    private void awaitAttempts() throws InterruptedException {
        while (!slots.isEmpty() && !context.stop().isCancelled()) {
            runnerWake.await(TimeUnit.HOURS.toNanos(1));
        }
        long until = context.now() + CANCEL_GRACE;
        while (!slots.isEmpty() && until - context.now() > 0) {
            book.interruptCalls();
            runnerWake.await(until - context.now());
        }
        if (!slots.isEmpty()) {
            log.error(
                    "[{}] calls of the sender did not return from their interrupts; their entries stay claimed until their leases have run out, within {}",
                    context.owner().name(),
                    DurationText.of(context.options().lease()));
            book.loseAll();
        }
    }

    private void renewLeases() throws InterruptedException {
        while (!ended) {
            heartbeat.await(context.leaseNanos() / 4);
            book.renew();
        }
    }

    private void watchClock() throws InterruptedException {
        long longest = Math.min(context.options().sendTimeout().toNanos(), context.leaseNanos() / 8);
        while (!ended) {
            long next = Math.min(book.check(), longest);
            watchdog.await(Math.max(next, SHORTEST_CHECK));
        }
    }

    private void called() {
        claims.call();
        reader.hurry();
    }

    private void breakerChanged() {
        upkeep.hurry();
    }

    private void startAttempt(HeldClaim held) {
        Thread.ofVirtual().name(attemptThread).start(() -> attempt(held));
    }

    private void attempt(HeldClaim held) {
        try {
            Optional<Settlement> settlement = new Attempt(context, policy, reports, held).run();
            if (settlement.isPresent()) {
                writer.submit(held, settlement.get());
            } else {
                lost(held);
            }
        } catch (Throwable t) {
            front.fail(t);
        } finally {
            slots.giveBack();
            if (!context.stop().isRunning()) {
                runnerWake.raise();
            }
        }
    }

    private void lost(HeldClaim held) {
        if (held.lose()) {
            book.tellLost(held, "its time was over before it was sent");
        }
        if (held.claim().entry().orderingKey().isPresent()) {
            plan.lost(held.claim(), context.now());
        }
    }

    private void settled(List<SettlementWriter.Pending> settled, List<SettlementWriter.Pending> lost) {
        settled.forEach(this::settled);
        lost.forEach(pending -> lost(pending.held()));
        slots.signal();
        if (plan.readyKeys() > 0) {
            context.claimsWake().raise();
        }
        if (plan.hasUnclear()) {
            reader.hurry();
        }
        if (plan.hasIdleToLeave()) {
            upkeep.hurry();
        }
    }

    private void settled(SettlementWriter.Pending pending) {
        OutboxClaim claim = pending.held().claim();
        Settlement settlement = pending.settlement();
        long now = context.now();
        if (claim.entry().orderingKey().isPresent()) {
            plan.settled(claim, settlement, now);
        } else if (settlement instanceof Settlement.Failed failed) {
            dueAgain(now + failed.delay().toNanos());
        } else if (settlement instanceof Settlement.Released) {
            dueAgain(now);
        }
        Duration age = Duration.ofNanos(pending.held().age(now));
        settlementLog.settled(claim, settlement, age.toMillis());
        context.listener().tell(listener -> listener.settled(claim, settlement, age));
    }

    private void dueAgain(long at) {
        dueTimes.add(at);
        context.claimsWake().raise();
    }

    /** Claims and starts nothing any more, and lets what was started finish. */
    @Override
    public void drain() {
        context.stop().escalate(StopSignal.Stage.DRAINING);
        wakeAll();
    }

    /** The same, and interrupts what was started. */
    @Override
    public void cancel() {
        context.stop().escalate(StopSignal.Stage.CANCELLED);
        book.interruptCalls();
        wakeAll();
    }

    private void wakeAll() {
        context.claimsWake().raise();
        reader.hurry();
        retention.hurry();
        runnerWake.raise();
    }

    private void failed(Throwable failure) {
        log.error(
                "[{}] the outbox worker stops because of a failure",
                context.owner().name(),
                LoggedFailure.of(failure));
        drain();
    }

    /** Whether that is a thread of this run, in a call of the sender or of a listener. */
    @Override
    public boolean isCalledBy(Thread thread) {
        return thread.equals(runner)
                || front.runs(thread)
                || back.runs(thread)
                || settling.runs(thread)
                || book.claims().stream().anyMatch(held -> held.isRunBy(thread));
    }
}

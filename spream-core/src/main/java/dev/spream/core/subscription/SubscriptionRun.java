package dev.spream.core.subscription;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.Periodic;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.core.internal.TaskGroup;
import dev.spream.core.internal.UserCalls;
import dev.spream.core.internal.Waiter;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.subscription.inflight.Budget;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.transaction.TransactionAssembler;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a subscription: owns the readers and the threads that renew leases, store watermarks, detect stalled
 * streams and clean up.
 *
 * <p>It ends in this order, whatever the reason: no partition is claimed any more; readers stop reading, and what was
 * handed to the consumer finishes (or is interrupted); leases are renewed and watermarks stored until the last reader
 * has ended; then the last watermarks are stored and the partitions released, with a deadline of their own. A
 * partition whose consumer does not return from an interrupted call is not released: its lease expires, so that the
 * next owner does not overlap with the call for longer than it must.
 */
final class SubscriptionRun implements PartitionScheduler.Readers, RunLifecycle.Stoppable {
    private static final Logger log = LoggerFactory.getLogger(SubscriptionRun.class);
    /** The logger for the end of a run, a separate one so that a program can report the end itself. */
    private static final Logger endLog = LoggerFactory.getLogger("dev.spream.core.subscription.End");

    private static final Duration CANCEL_GRACE = Duration.ofSeconds(5);
    private static final Duration FINAL_WRITE_DEADLINE = Duration.ofSeconds(10);

    private enum Stop {
        NO,
        DRAIN,
        CANCEL
    }

    private final EngineContext context;
    private final ConsumerCalls calls;
    private final DeliveryStrategy path;
    private final SubscriptionOpener opener;
    private final Budget budget;
    private final Optional<TransactionAssembler> transactions; // if whole ones are delivered
    private final WatermarkWriter watermarks;
    private final LeaseKeeper leases;
    private final Discovery discovery;
    private final PartitionScheduler scheduler;
    private final PartitionHandOver handOver;
    private final List<Periodic> periodic = new CopyOnWriteArrayList<>();
    private final TaskGroup tasks;
    private final List<TaskGroup> apart = new CopyOnWriteArrayList<>();
    private final TaskGroup background;
    private final TaskGroup watching;
    private final ParkedKeys parkedKeys = new ParkedKeys();
    private final Map<PartitionToken, PartitionReader> readers = new ConcurrentHashMap<>();
    private final Waiter drainAlarm;

    private volatile Stop stop = Stop.NO;
    private final AtomicReference<Duration> cancelGrace = new AtomicReference<>(CANCEL_GRACE);
    private volatile boolean readersEnded;
    private volatile @Nullable Thread runner;
    private volatile @Nullable Periodic leaseRenewal;
    private volatile boolean opened;
    private volatile boolean started;
    private volatile boolean completed;

    // Set before the first reader starts.
    private QueryWindow window = new QueryWindow(Optional.empty(), PartitionMode.IMMUTABLE_KEY_RANGE);

    SubscriptionRun(EngineContext context, Consumer consumer) {
        this.context = context;
        this.tasks = new TaskGroup(context.time(), this::onFailure);
        this.background = new TaskGroup(context.time(), tasks::fail);
        this.watching = new TaskGroup(context.time(), tasks::fail);
        this.calls = new ConsumerCalls(context, this::lowWatermark);
        this.path = DeliveryStrategy.of(context, consumer, calls, parkedKeys);
        this.opener = new SubscriptionOpener(context, () -> stop == Stop.NO);
        this.budget = context.newBudget();
        TransactionMode mode = DeliveryStrategy.transactionMode(context.options(), consumer);
        this.transactions = mode == TransactionMode.OFF
                ? Optional.empty()
                : Optional.of(path.assembler(context, mode, consumer, calls, tasks::fail));
        this.drainAlarm = new Waiter(context.time());
        this.watermarks = new WatermarkWriter(context, consumer);
        this.leases = new LeaseKeeper(context, new Membership(context, mode != TransactionMode.OFF), this::held);
        this.discovery = new Discovery(context, leases.membership(), mode != TransactionMode.OFF);
        this.scheduler =
                new PartitionScheduler(context, this, leases.membership(), discovery, mode != TransactionMode.OFF);
        this.handOver = new PartitionHandOver(context, watermarks);
    }

    CompletionReason run() {
        Periodic watch = new Periodic(context.time(), UserCalls.CHECK_INTERVAL, context.userCalls()::check);
        watching.start("spream-" + context.source().streamName() + "-calls", watch);
        try {
            return runWatched();
        } finally {
            watch.stop();
            if (join(watching)) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Runs and ends the subscription. User code is not called on this thread, which has to return even if such a call
     * does not.
     */
    private CompletionReason runWatched() {
        runner = Thread.currentThread();
        boolean interrupted = apart("run", () -> completed = runUntilStopped());
        interrupted |= end();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        tasks.rethrow(t -> new SubscriptionException("the subscription stopped because of a failure", t));
        return completed
                ? CompletionReason.COMPLETED
                : stop == Stop.CANCEL ? CompletionReason.CLOSED : CompletionReason.SHUT_DOWN;
    }

    /**
     * Runs the task on a thread of its own, and waits for it; returns whether this thread was interrupted meanwhile.
     */
    private boolean apart(String role, TaskGroup.Task task) {
        TaskGroup alone = new TaskGroup(context.time(), tasks::fail);
        apart.add(alone);
        alone.start("spream-" + context.source().streamName() + "-" + role, task);
        return join(alone);
    }

    /**
     * Runs until the subscription is completed or stopped; returns whether it is completed. A storage that still fails
     * when the run is stopped causes no delay.
     */
    private boolean runUntilStopped() throws Exception {
        try {
            return openAndSchedule();
        } catch (StorageException e) {
            if (e.retryable() && stop != Stop.NO) {
                return false;
            }
            throw e;
        }
    }

    private boolean openAndSchedule() throws Exception {
        startPeriodic("stalls", context.options().heartbeatInterval(), this::cancelStalled);
        Optional<SubscriptionRecord> subscription = opener.open();
        if (subscription.isEmpty()) {
            return false;
        }
        opened = true;
        if (subscription.get().completed()) {
            return true;
        }
        window = QueryWindow.of(subscription.get());
        leases.membership().opened(subscription.get());
        context.storageCalls()
                .run(
                        "registering the worker",
                        () -> stop == Stop.NO,
                        storage -> leases.membership().register());
        RunningSubscription view = new RunningSubscription(context, this::held, this::lowWatermark, transactions);
        started = true;
        context.listener().publish(listener -> listener.started(view));
        if (stop != Stop.NO) {
            return false;
        }
        leaseRenewal = startPeriodic("leases", Periodic.steady(context.time(), leases.interval(), leases::renew));
        startPeriodic(
                "watermarks",
                new Periodic(
                        context.time(),
                        context.options().watermarkInterval(),
                        context.watermarksDue(),
                        this::storeWatermarks));
        calls.interval()
                .ifPresent(interval ->
                        startPeriodic("timeouts", Periodic.steady(context.time(), interval, calls::interruptOverdue)));
        startPeriodic(
                "rotation",
                PartitionHandOver.ROTATION_INTERVAL,
                () -> handOver.rotate(readers.values(), scheduler.waiting()));
        CleanupTask housekeeper = new CleanupTask(context, discovery::readAt);
        startPeriodic("housekeeping", housekeeper.interval(), housekeeper::cleanUp);
        startPeriodic("proofs", housekeeper.proofInterval(), housekeeper::forgetProofs);
        return scheduler.run(() -> stop == Stop.NO);
    }

    private void cancelStalled() {
        opener.cancelIfStalled();
        readers.values().forEach(PartitionReader::cancelIfStalled);
    }

    private void startPeriodic(String role, Duration interval, TaskGroup.Task work) {
        startPeriodic(role, new Periodic(context.time(), interval, work));
    }

    private Periodic startPeriodic(String role, Periodic task) {
        periodic.add(task);
        background.start("spream-" + context.source().streamName() + "-" + role, task);
        return task;
    }

    /**
     * Tries once; the next attempt is made at the next interval. Repeating here would keep a reader from finishing its
     * partition.
     */
    private void storeWatermarks() throws InterruptedException {
        path.attempts().summarize();
        context.storageCalls().once(WatermarkWriter.STORING, "", () -> watermarks.persist(held(), () -> false));
    }

    @Override
    public boolean isRead(PartitionToken partition) {
        return readers.containsKey(partition);
    }

    @Override
    public int open() {
        return (int) readers.values().stream()
                .filter(reader -> !reader.isReadToEnd())
                .count();
    }

    @Override
    public void start(PartitionLease lease, LocalLease held, List<PartitionToken> unfinished, Lineage lineage) {
        ChangeDispatcher dispatcher = transactions.isEmpty()
                ? RecordDispatcher.of(context, lease, held, path, budget.open(), tasks::fail)
                : TransactionDispatcher.of(context, lease, held, transactions.get());
        PartitionReader reader = new PartitionReader(
                context,
                dispatcher.partition(),
                dispatcher,
                watermarks,
                lineage.pausedAt()
                        .filter(pause -> !lease.token().isOfSnapshot())
                        .map(window::until)
                        .orElse(window),
                this::reader,
                () -> parkedKeys.reload(context, lease));
        reader.follow(unfinished, lineage);
        readers.put(lease.token(), reader);
        if (stop != Stop.NO) {
            reader.stop();
        }
        tasks.startReader(context.threadName("reader", lease.token()), () -> {
            try {
                read(reader);
            } finally {
                reader.ended();
            }
        });
    }

    private Optional<PartitionReader> reader(PartitionToken partition) {
        return Optional.ofNullable(readers.get(partition));
    }

    @Override
    public boolean canReadAhead(PartitionToken partition, List<PartitionToken> unfinished) {
        return unfinished.stream()
                .allMatch(parent -> reader(parent)
                        .flatMap(reader -> reader.departureAtEnd(partition))
                        .isPresent());
    }

    /** Whole transactions need to know what was settled and skipped before, also in partitions that are finished. */
    @Override
    public void prepare(List<PartitionClaim> claims, BooleanSupplier wanted) throws InterruptedException {
        if (transactions.isPresent() && (readers.isEmpty() || claims.stream().anyMatch(claim -> claim.epoch() > 0))) {
            Lineage lineage = context.storageCalls().repeat("reading the lineage", wanted, PartitionStorage::lineage);
            transactions
                    .get()
                    .beginWith(
                            lineage,
                            context.storageCalls()
                                    .repeat("reading the finished partitions", wanted, PartitionStorage::proofs));
        }
    }

    @Override
    public void observe(Lineage lineage) {
        transactions.ifPresent(assembler -> assembler.observe(lineage));
        readers.values().forEach(reader -> reader.observe(lineage));
    }

    @Override
    public Map<PartitionToken, Instant> positions() {
        Map<PartitionToken, Instant> positions = new HashMap<>();
        readers.forEach((token, reader) -> reader.discoveredUntil().ifPresent(read -> positions.put(token, read)));
        return positions;
    }

    @Override
    public void giveBlocked() {
        handOver.handOverBlocked(readers.values());
    }

    private void read(PartitionReader reader) throws InterruptedException {
        HeldPartition partition = reader.partition();
        try {
            parkedKeys.reload(context, partition.lease());
            reader.run();
        } catch (StorageException e) {
            // A retryable failure is thrown only if the reader was stopped, and then its cause is reported already.
            if (!e.retryable() || reader.isActive()) {
                tasks.fail(e);
            }
        } catch (InterruptedException e) {
            if (!context.userCalls().isCancelled()) {
                tasks.fail(e);
            }
        } catch (Throwable t) {
            tasks.fail(t); // at once, before the consumer has returned
        } finally {
            reader.stop();
            boolean idle = reader.dispatcher().awaitIdle(cancelGrace::get);
            if (!idle) {
                log.error(
                        "[{}] the consumer did not return from an interrupted call; the partition is not released, and its lease expires within {}",
                        context.label(partition.token()),
                        DurationText.of(context.options().leaseTime()));
            }
            if (!partition.isHeld()) {
                partition.revoke();
            }
            if (idle && reader.isHandingOver() && !partition.isLeft()) {
                handOver.complete(partition, () -> stop == Stop.NO && partition.isHeld());
            }
            if (partition.isLeft()) {
                readers.remove(partition.token());
                context.partitionsChanged().signal();
            }
        }
    }

    @Override
    public Collection<HeldPartition> held() {
        return readers.values().stream().map(PartitionReader::partition).toList();
    }

    @Override
    public Set<PartitionToken> awaited() {
        return readers.values().stream()
                .flatMap(reader -> reader.gate().awaited().stream())
                .collect(Collectors.toSet());
    }

    @Override
    public boolean awaitsAll() {
        return readers.values().stream().anyMatch(PartitionReader::awaitsAll);
    }

    @Override
    public Set<PartitionToken> leaving() {
        return readers.values().stream()
                .filter(PartitionReader::isHandingOver)
                .map(reader -> reader.partition().token())
                .collect(Collectors.toSet());
    }

    @Override
    public void give(int count) {
        handOver.give(readers.values(), count);
    }

    @Override
    public void giveAll() {
        Runnable giving = () -> handOver.giveAll(readers.values());
        transactions.ifPresentOrElse(assembler -> assembler.pauseWhile(giving), giving);
    }

    /** Stops reading and lets started changes finish. */
    @Override
    public void drain() {
        escalate(Stop.DRAIN);
        transactions.ifPresent(TransactionAssembler::end);
        opener.stop();
        leaveMembers();
        context.partitionsChanged().signal();
        readers.values().forEach(PartitionReader::stop);
    }

    /**
     * Stops reading and interrupts started changes. A consumer that ignores the interrupt is awaited for half the time,
     * so that watermarks are stored and partitions released in the rest; those steps have limits of their own.
     */
    @Override
    public void cancel(Duration within) {
        cancelGrace.accumulateAndGet(within.dividedBy(2), (known, half) -> Collections.min(List.of(known, half)));
        cancel();
    }

    private void cancel() {
        escalate(Stop.CANCEL);
        transactions.ifPresent(TransactionAssembler::end);
        context.userCalls().cancel();
        opener.stop();
        leaveMembers();
        context.partitionsChanged().signal();
        drainAlarm.signal();
        readers.values().forEach(PartitionReader::cancel);
    }

    /** Ends this worker's share now, not only when the run has ended, so that other workers may claim it. */
    private void leaveMembers() {
        leases.membership().leave();
        Periodic renewal = leaseRenewal;
        if (renewal != null) {
            renewal.trigger();
        }
    }

    /** A drain after a cancel does not revoke the cancel. */
    private synchronized void escalate(Stop to) {
        if (to.compareTo(stop) > 0) {
            stop = to;
        }
    }

    private void onFailure(Throwable failure) {
        if (readersEnded) {
            return;
        }
        endLog.error(
                "[{}] the subscription stops because of a failure; started changes may finish within {}: {}",
                context.source().streamName(),
                DurationText.of(context.options().drainTimeout()),
                LoggedFailure.brief(failure));
        drain();
        background.start("spream-" + context.source().streamName() + "-drain", () -> {
            drainAlarm.await(context.options().drainTimeout());
            if (!readersEnded) {
                cancel();
            }
        });
    }

    /** Returns whether that is a thread of this run, in a call of the consumer, a listener or other user code. */
    @Override
    public boolean isCalledBy(Thread thread) {
        return thread.equals(runner)
                || apart.stream().anyMatch(alone -> alone.runs(thread))
                || tasks.runs(thread)
                || background.runs(thread)
                || readers.values().stream()
                        .anyMatch(reader -> reader.dispatcher().isCalledBy(thread));
    }

    Optional<Instant> lowWatermark() {
        return scheduler.lowWatermark();
    }

    /**
     * Ends all threads, then stores the watermarks and releases the partitions; returns whether the thread was
     * interrupted meanwhile.
     */
    private boolean end() {
        readers.values().forEach(PartitionReader::stop);
        boolean interrupted = join(tasks);
        readersEnded = true;
        path.attempts().summarizeAll();
        periodic.forEach(Periodic::stop);
        drainAlarm.signal();
        interrupted |= join(background);
        if (opened) {
            long deadline = context.time().nanoTime() + FINAL_WRITE_DEADLINE.toNanos();
            BooleanSupplier inTime = () -> context.time().nanoTime() - deadline < 0;
            List<PartitionReader> left = readers.values().stream()
                    .filter(reader -> !reader.partition().isLeft())
                    .toList();
            interrupted |= apart("store", () -> handOver.storeLast(left, inTime));
            interrupted |= apart("release", () -> handOver.releaseLast(left, inTime));
        }
        readers.clear();
        if (started) {
            interrupted |= apart("ended", () -> context.listener().publish(SubscriptionListener::ended));
        }
        watermarks.close();
        transactions.ifPresent(TransactionAssembler::close);
        return interrupted;
    }

    private boolean join(TaskGroup group) {
        boolean interrupted = false;
        while (true) {
            try {
                group.join(context.userCalls()::isStuck);
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
                cancel();
            }
        }
    }
}

package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.subscription.SimulatedMachine;
import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.testkit.memory.InMemoryOutbox;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.function.Supplier;

/**
 * One simulated history of an outbox, from one seed: entries are enqueued, workers send them, die, stand still, stop and start
 * again; calls of the store fail before or after their effect; the receiver takes, refuses, loses, and says nothing. Then the
 * trouble ends, one worker more runs, and everything has to be settled, or parked, rightly.
 */
final class OutboxSimulation {
    /** The events of a simulation, so that a test can require that each of them occurred. */
    enum Event {
        CLAIMED_AS_ENQUEUED,
        UNREPORTED_COMMIT,
        KILLED,
        PAUSED,
        STOPPED,
        LEASE_LOST,
        LEASE_EXPIRED,
        STORE_FAILED,
        BREAKER_OPENED,
        ASKED,
        SUCCEEDED,
        ABORTED,
        PARKED,
        RELEASED
    }

    /** The defects that a simulation must find. */
    enum Sabotage {
        NONE,
        /** The sender says that it is idempotent, and is not. */
        LYING_SENDER,
        /** The store does not say of a claim that an earlier one may have reached the receiver. */
        FORGETFUL_CLAIMS,
        /** The store takes settlements, and does not keep them. */
        DEAF_SETTLEMENTS
    }

    private static final Duration TROUBLE = Duration.ofSeconds(20);
    private static final Duration AFTERWARDS = Duration.ofMinutes(20);
    private static final OutboxFilter ALL =
            new OutboxFilter(Set.of(), false, "", Optional.empty(), Optional.empty(), 0, OutboxFilter.MAX_LIMIT);

    private final Sabotage sabotage;
    private final SplittableRandom random;
    private final SimulatedMachine machine;
    private final InMemoryOutbox memory;
    private final OutboxStore shared;
    private final OutboxSender.Guarantee guarantee;
    private final OutboxWorkerOptions.Builder options;
    private final Duration lease;
    private final SimulatedReceiver receiver;
    private final Map<Event, Long> tally = new EnumMap<>(Event.class);
    private final Map<Long, OutboxRow> settled = new HashMap<>();
    private final Map<Long, Integer> settlements = new HashMap<>();
    private final List<Thread> slots = new ArrayList<>();
    private boolean troubled = true;
    private int workers;

    private OutboxSimulation(long seed, Sabotage sabotage) {
        this.sabotage = sabotage;
        random = new SplittableRandom(seed);
        machine = new SimulatedMachine(random.split(), random.nextInt(4) > 0);
        memory = new InMemoryOutbox(machine::instant);
        shared = memory.store();
        guarantee = List.of(OutboxSender.Guarantee.values()).get(random.nextInt(3));
        lease = Duration.ofMillis(random.nextLong(200, 4_000));
        Duration timeout = Duration.ofMillis(random.nextLong(20, 2 * lease.toMillis()));
        receiver = new SimulatedReceiver(guarantee, random.split(), timeout);
        options = OutboxWorkerOptions.builder()
                .lease(lease)
                .sendTimeout(timeout)
                .concurrency(random.nextInt(1, 9))
                .batch(random.nextInt(1, 17))
                .pollInterval(Duration.ofMillis(random.nextLong(10, 1_000)))
                .maxAttempts(random.nextInt(2, 12))
                .backoff(Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(2)))
                .orderedFailure(random.nextBoolean() ? OrderedFailurePolicy.ABORT : OrderedFailurePolicy.PARK)
                .breakerFailures(random.nextBoolean() ? 0 : random.nextInt(1, 10))
                .breakerPause(Duration.ofMillis(random.nextLong(50, 2_000)))
                .listener(new Witness());
    }

    /** Runs a history, and adds up what happened in it. */
    static void run(long seed, Map<Event, Long> total, Sabotage sabotage) {
        OutboxSimulation simulation = new OutboxSimulation(seed, sabotage);
        simulation.machine.run(simulation::operate);
        simulation.tally.forEach((event, count) -> total.merge(event, count, Long::sum));
    }

    private void operate() {
        SimulatedProcess operator = machine.process("operator", 0, Duration.ZERO);
        slots.add(operator.start("producer", () -> produce(operator)));
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            slots.add(operator.start("slot-" + i, () -> keepRunning(operator)));
        }
        operator.sleepUninterruptibly(TROUBLE.toNanos());
        troubled = false;
        receiver.recover();
        while (slots.stream().anyMatch(Thread::isAlive)) {
            operator.sleepUninterruptibly(lease.toNanos());
        }
        settleTheRest(operator);
        judge();
    }

    /** Enqueues over the time, each entry in a transaction of its own, some of which are rolled back. */
    private void produce(SimulatedProcess operator) {
        int entries = random.nextInt(5, 40);
        int keys = random.nextInt(1, 5);
        for (int i = 0; i < entries; i++) {
            OutboxMessage.Builder message = OutboxMessage.builder("order-" + i, "{\"order\":%d}".formatted(i));
            if (random.nextBoolean()) {
                message.orderingKey("customer-" + random.nextInt(keys));
            }
            try (InMemoryOutbox.Transaction transaction = memory.begin()) {
                enqueue(operator, transaction, message.build());
            }
            if (random.nextInt(3) == 0) {
                operator.sleepUninterruptibly(random.nextLong(TROUBLE.toNanos() / entries * 2));
            }
        }
    }

    /** Some transactions take long, some are rolled back, and the commit of some is not reported, as after a crash. */
    @SuppressWarnings("MustBeClosedChecker")
    private void enqueue(SimulatedProcess operator, InMemoryOutbox.Transaction transaction, OutboxMessage message) {
        if (random.nextInt(3) == 0) {
            memory.outbox().enqueue(transaction, message);
            if (random.nextInt(10) > 0) {
                transaction.commit();
                memory.outbox().signal();
            }
            return;
        }
        OutboxTransaction messages = memory.outbox().begin(transaction);
        messages.enqueue(message);
        if (random.nextInt(5) == 0) {
            operator.sleepUninterruptibly(random.nextLong(2 * lease.toNanos()));
        }
        int fate = random.nextInt(10);
        if (fate > 0) {
            transaction.commit();
        }
        if (fate > 1) {
            messages.committed();
        } else if (fate == 1 && random.nextBoolean()) {
            count(Event.UNREPORTED_COMMIT);
            return;
        }
        messages.close();
    }

    /** Starts a worker, and another one when that has ended, as long as there is trouble. */
    private void keepRunning(SimulatedProcess operator) {
        while (troubled) {
            SimulatedProcess process = machine.process("worker-" + ++workers, random.nextLong(), Duration.ZERO);
            OutboxWorker worker = worker(process);
            Thread thread = process.start("worker", worker::run);
            operator.sleepUninterruptibly(random.nextLong(4 * lease.toNanos()));
            switch (random.nextInt(4)) {
                case 0 -> {
                    count(Event.KILLED);
                    process.kill();
                }
                case 1 -> {
                    count(Event.PAUSED);
                    process.pause(random.nextLong(3 * lease.toNanos()));
                    operator.sleepUninterruptibly(random.nextLong(6 * lease.toNanos()));
                    stop(operator, worker, thread);
                }
                default -> stop(operator, worker, thread);
            }
            operator.sleepUninterruptibly(random.nextLong(lease.toNanos()));
        }
    }

    private void stop(SimulatedProcess operator, OutboxWorker worker, Thread thread) {
        count(Event.STOPPED);
        boolean patient = random.nextBoolean();
        Thread stopper = operator.start("stopper", () -> {
            if (patient) {
                assertThat(worker.shutdown(Duration.ofHours(1))).isTrue();
            } else {
                worker.close();
            }
        });
        long until = machine.now() + AFTERWARDS.toNanos();
        while (thread.isAlive() || stopper.isAlive()) {
            assertThat(machine.now())
                    .as("the time at which a worker has still not stopped")
                    .isLessThan(until);
            operator.sleepUninterruptibly(lease.toNanos() / 10);
        }
    }

    private void settleTheRest(SimulatedProcess operator) {
        SimulatedProcess process = machine.process("last", random.nextLong(), Duration.ZERO);
        OutboxWorker worker = worker(process);
        Thread thread = process.start("worker", worker::run);
        long until = machine.now() + AFTERWARDS.toNanos();
        while (rows().stream().anyMatch(row -> !isDone(row))) {
            assertThat(machine.now())
                    .as(() -> "the time at which there are still " + rows())
                    .isLessThan(until);
            operator.sleepUninterruptibly(Duration.ofMillis(200).toNanos());
        }
        stop(operator, worker, thread);
    }

    /** Settled, parked, or behind one of its key that is parked. */
    private boolean isDone(OutboxRow row) {
        return row.status().isSettled() || row.parked() || isBehindParked(row);
    }

    private boolean isBehindParked(OutboxRow row) {
        return row.status() == OutboxStatus.PENDING
                && row.orderingKey().isPresent()
                && rows().stream()
                        .anyMatch(other -> other.parked()
                                && other.id() < row.id()
                                && other.orderingKey().equals(row.orderingKey()));
    }

    private OutboxWorker worker(SimulatedProcess process) {
        OutboxStore store = new SimulatedOutboxStore(
                sabotaged(shared), process, random.split(), () -> troubled, lease.toNanos() / 20, this::observe);
        OutboxSender.Guarantee said = sabotage == Sabotage.LYING_SENDER ? OutboxSender.Guarantee.IDEMPOTENT : guarantee;
        MonotonicTime time = new MonotonicTime() {
            @Override
            public long nanoTime() {
                return process.nanoTime();
            }

            @Override
            public Instant instant() {
                return Instant.EPOCH.plusNanos(nanoTime());
            }

            @Override
            public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
                return process.awaitNanos(condition, nanos);
            }
        };
        return OutboxWorker.builder(store, receiver.sender(process, said))
                .options(options.build())
                .time(time)
                .random(new Random(random.nextLong()))
                .build();
    }

    private OutboxStore sabotaged(OutboxStore store) {
        return new ForwardingOutboxStore(store) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                return call.get();
            }

            @Override
            public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration duration) {
                return forgetful(super.claim(owner, destination, limit, duration));
            }

            @Override
            public ClaimResult claimOrdered(
                    OutboxOwner owner,
                    Collection<OutboxSegmentLease> segments,
                    Collection<Long> ids,
                    Duration duration) {
                return forgetful(super.claimOrdered(owner, segments, ids, duration));
            }

            @Override
            public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
                return sabotage == Sabotage.DEAF_SETTLEMENTS ? Set.of() : super.settle(owner, settlements);
            }
        };
    }

    private ClaimResult forgetful(ClaimResult result) {
        if (sabotage != Sabotage.FORGETFUL_CLAIMS) {
            return result;
        }
        return new ClaimResult(
                result.claims().stream()
                        .map(claim -> new OutboxClaim(
                                claim.entry(), claim.token(), claim.attempt(), false, claim.claimedAt()))
                        .toList(),
                result.leasesExpired(),
                result.synchronised(),
                result.conflicts());
    }

    private List<OutboxRow> rows() {
        return memory.operations().list(ALL);
    }

    /** No entry that is settled changes, in the outbox or in the ledger. */
    private void observe() {
        try {
            for (OutboxRow row : rows()) {
                OutboxRow before = settled.get(row.id());
                if (before != null) {
                    assertThat(row).as("a settled entry, later").isEqualTo(before);
                } else if (row.status().isSettled()) {
                    settled.put(row.id(), row);
                }
            }
        } catch (Throwable t) {
            machine.fail(t);
        }
    }

    private void judge() {
        observe();
        Map<String, List<Long>> orders = new HashMap<>();
        for (OutboxRow row : rows()) {
            int taken = receiver.taken(row.id());
            Optional<LedgerStatus> ledger = row.ledger().map(LedgerEntry::status);
            assertThat(row.status()).as("status of %s", row).isNotEqualTo(OutboxStatus.SENDING);
            assertThat(settlements.getOrDefault(row.id(), 0))
                    .as("settlements of %s", row)
                    .isLessThanOrEqualTo(1);
            if (guarantee != OutboxSender.Guarantee.IDEMPOTENT) {
                assertThat(taken).as("effects of %s", row).isLessThanOrEqualTo(1);
            }
            switch (row.status()) {
                case SUCCEEDED -> {
                    count(Event.SUCCEEDED);
                    assertThat(taken).as("effects of %s", row).isPositive();
                    assertThat(ledger).contains(LedgerStatus.SUCCEEDED);
                }
                case ABORTED -> {
                    count(Event.ABORTED);
                    assertThat(taken).as("effects of %s", row).isZero();
                    assertThat(ledger).contains(LedgerStatus.FAILED);
                }
                case PENDING, SENDING, FAILED -> {
                    count(Event.PARKED);
                    assertThat(ledger).contains(LedgerStatus.IN_PROGRESS);
                    if (taken > 0) {
                        assertThat(row.outcomeUnknown())
                                .as("of one that was taken: %s", row)
                                .isTrue();
                    }
                }
            }
            row.orderingKey().ifPresent(key -> orders.computeIfAbsent(key, receiver::order));
        }
        orders.forEach((key, ids) -> assertThat(ids).as("effects of %s", key).isSorted());
    }

    private void count(Event event) {
        tally.merge(event, 1L, Long::sum);
    }

    /** Counts what workers say. */
    private final class Witness implements OutboxListener {
        @Override
        public void enqueued(List<OutboxClaim> claims) {
            count(Event.CLAIMED_AS_ENQUEUED);
        }

        @Override
        public void claimed(ClaimResult result, Duration took) {
            for (int i = 0; i < result.leasesExpired(); i++) {
                count(Event.LEASE_EXPIRED);
            }
        }

        @Override
        public void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {
            if (queried) {
                count(Event.ASKED);
            }
        }

        @Override
        public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
            switch (settlement) {
                case Settlement.Succeeded succeeded ->
                    settlements.merge(claim.entry().id(), 1, Integer::sum);
                case Settlement.Aborted aborted ->
                    settlements.merge(claim.entry().id(), 1, Integer::sum);
                case Settlement.Released released -> count(Event.RELEASED);
                case Settlement.Failed failed -> {}
                case Settlement.Parked parked -> {}
            }
        }

        @Override
        public void leaseLost(OutboxClaim claim) {
            count(Event.LEASE_LOST);
        }

        @Override
        public void breakerOpened(String destination, int failures, Duration pause) {
            count(Event.BREAKER_OPENED);
        }

        @Override
        public void storeFailed(StorageException failure) {
            count(Event.STORE_FAILED);
        }
    }
}

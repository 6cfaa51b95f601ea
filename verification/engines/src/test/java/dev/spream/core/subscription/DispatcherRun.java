package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.newChange;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.inflight.Budget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** One run of a dispatcher with random options, records and behaviour, all from a seed; and what was wrong with it. */
final class DispatcherRun implements SubscriptionListener {
    private static final int RECORDS = 24;
    private static final int MAX_ATTEMPTS = 4;
    private static final long MAX_CALL_NANOS = 20_000;
    private static final Duration TIMEOUT = Duration.ofMillis(1);

    private enum End {
        SETTLED,
        STOPPED,
        CANCELLED,
        STOPPED_AND_CANCELLED,
        LEASE_LOST,
        /** One record is never settled; the run is cancelled when all are that need not follow it. */
        ONE_IS_STUCK
    }

    private final long seed;
    private final Ordering ordering;
    private final boolean batches;
    private final End end;
    private final int endAfter;
    private final boolean timesOut;
    private final List<DataChangeRecord> changes = new ArrayList<>();
    private final int stuck;
    private final Set<Integer> behindStuck = new TreeSet<>();
    private final CountDownLatch othersSettled;
    private final int handedOverTogether;
    private final SubscriberOptions options;
    private final OnePartition one;

    private final Set<Integer> settled = ConcurrentHashMap.newKeySet();
    private final Set<Integer> inCall = ConcurrentHashMap.newKeySet();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final CountDownLatch endIsDue = new CountDownLatch(1);
    private volatile boolean idle;

    DispatcherRun(long seed) {
        this.seed = seed;
        Random random = new Random(seed);
        ordering = Ordering.values()[random.nextInt(Ordering.values().length)];
        batches = random.nextBoolean();
        end = random.nextBoolean() ? End.SETTLED : End.values()[random.nextInt(End.values().length)];
        endAfter = random.nextInt(RECORDS);
        timesOut = random.nextInt(4) == 0;
        for (int number = 0; number < RECORDS; number++) {
            changes.add(newChange(number + 1, "tx-" + number, List.copyOf(randomKeys(random))));
        }
        stuck = end == End.ONE_IS_STUCK ? random.nextInt(RECORDS) : RECORDS;
        findBehindStuck();
        othersSettled = new CountDownLatch(RECORDS - behindStuck.size());
        int room = stuck < RECORDS ? RECORDS : 0;
        SubscriberOptions.Builder builder = SubscriberFixture.quick()
                .maxInflight(room + 1 + random.nextInt(12))
                .ordering(ordering)
                .maxBatchSize(1 + random.nextInt(6))
                .maxBufferedChanges(room + 1 + random.nextInt(12))
                .errorHandler(this::onFailure)
                .deadLetterSink(new RecordingDeadLetterSink(new CopyOnWriteArrayList<>()))
                .listener(this);
        options = (timesOut ? builder.consumeTimeout(TIMEOUT) : builder).build();
        handedOverTogether = 1 + random.nextInt(20);
        one = new OnePartition(options, consumer());
        one.partition.onLost(one.dispatcher::stop);
    }

    private static Set<String> randomKeys(Random random) {
        Set<String> keys = new TreeSet<>();
        for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
            keys.add("k" + random.nextInt(4));
        }
        return keys;
    }

    /** The stuck record and those that follow it, or follow one that does. */
    private void findBehindStuck() {
        for (int number = stuck; number < RECORDS; number++) {
            int later = number;
            if (number == stuck || behindStuck.stream().anyMatch(earlier -> mustFollow(later, earlier))) {
                behindStuck.add(number);
            }
        }
    }

    /** Submits all records, as a reader would, while another thread ends the run. */
    void run() throws InterruptedException {
        Thread ending = Thread.ofVirtual().start(this::endWhenDue);
        Thread watching = Thread.ofVirtual().start(this::interruptOverdueCalls);
        boolean taken = true;
        for (int number = 0; number < RECORDS && taken; number++) {
            if (number == endAfter && end != End.ONE_IS_STUCK) {
                endIsDue.countDown();
            }
            DataChangeRecord change = changes.get(number);
            taken = one.dispatcher.submit(change, change.commitTimestamp());
            if (number % handedOverTogether == 0) {
                one.dispatcher.handOver();
            }
        }
        one.dispatcher.handOver();
        if (end == End.ONE_IS_STUCK) {
            othersSettled.await();
        }
        endIsDue.countDown();
        boolean allSettled = taken && one.dispatcher.awaitSettled();
        ending.join();
        one.dispatcher.stop();
        boolean becameIdle = one.dispatcher.awaitIdle(() -> SubscriberFixture.BOUND);
        idle = true;
        watching.join();
        assertThat(becameIdle).as("idle").isTrue();
        assertThat(inCall).as("in a call when idle").isEmpty();
        assertThat(one.failure).as("failure").hasNullValue();
        if (end == End.SETTLED) {
            assertThat(allSettled).as("all settled").isTrue();
        }
        checkWatermark(allSettled);
        checkBudget();
    }

    private void endWhenDue() {
        try {
            endIsDue.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        switch (end) {
            case SETTLED -> {}
            case STOPPED -> one.dispatcher.stop();
            case CANCELLED, ONE_IS_STUCK -> one.dispatcher.cancel();
            case STOPPED_AND_CANCELLED -> {
                one.dispatcher.stop();
                one.dispatcher.cancel();
            }
            case LEASE_LOST -> one.partition.revoke();
        }
    }

    private void interruptOverdueCalls() {
        while (timesOut && !idle) {
            one.calls.interruptOverdue();
            LockSupport.parkNanos(TIMEOUT.toNanos() / 10);
        }
    }

    private void checkWatermark(boolean allSettled) {
        int covered = 0;
        while (covered < RECORDS
                && !at(covered + 1).isAfter(one.partition.tracker().watermark())) {
            assertThat(settled).as("settled, as the watermark says").contains(covered);
            covered++;
        }
        if (allSettled) {
            assertThat(covered).as("records below the watermark").isEqualTo(RECORDS);
        }
    }

    /** Asserts that everything was released: the whole budget can be acquired. */
    private void checkBudget() throws InterruptedException {
        Budget.Share other = one.budget.open();
        for (int i = 0; i < options.maxBufferedChanges(); i++) {
            assertThat(other.acquire(1)).isTrue();
        }
    }

    Queue<String> violations() {
        return violations;
    }

    private Consumer consumer() {
        if (!batches) {
            return (change, delivery) -> consumeOne(change, delivery);
        }
        return (BatchConsumer) this::consumeBatch;
    }

    private void consumeOne(DataChangeRecord change, Delivery delivery) throws InterruptedException {
        enter(List.of(change));
        try {
            refuseIfStuck(List.of(change));
            misbehave(randomFor(change, delivery.attempt()));
        } finally {
            leave(List.of(change));
        }
    }

    private void consumeBatch(BatchConsumer.Batch batch) throws InterruptedException {
        List<DataChangeRecord> handed = batch.changes();
        enter(handed);
        try {
            Random random = randomFor(handed.getFirst(), batch.delivery(0).attempt());
            if (random.nextBoolean()) {
                refuseIfStuck(handed);
            }
            for (int index = 0; index < handed.size(); index++) {
                switch (number(handed.get(index)) == stuck ? 1 : random.nextInt(8)) {
                    case 0 -> {
                        inCall.remove(number(handed.get(index)));
                        batch.settle(index);
                    }
                    case 1 -> batch.fail(index, new IllegalStateException("refused in a batch"));
                    default -> {}
                }
            }
            misbehave(random);
        } finally {
            leave(handed);
        }
    }

    private void refuseIfStuck(List<DataChangeRecord> handed) {
        if (handed.stream().anyMatch(change -> number(change) == stuck)) {
            throw new IllegalStateException("refused, always");
        }
    }

    private void misbehave(Random random) throws InterruptedException {
        LockSupport.parkNanos(random.nextLong(MAX_CALL_NANOS));
        int how = random.nextInt(10);
        if (how == 0) {
            Thread.currentThread().interrupt();
        }
        if (how <= 2) {
            throw new IllegalStateException("refused");
        }
        if (how == 4) {
            Thread.currentThread().interrupt(); // and returns, as if nothing were
        }
        if (how == 3 && (timesOut || end == End.CANCELLED)) {
            if (end != End.ONE_IS_STUCK) {
                endIsDue.countDown();
            }
            new CountDownLatch(1).await();
        }
    }

    private ErrorDecision onFailure(DeliveryFailure failure) {
        Random random = randomFor(failure.change(), -failure.attempt());
        if (number(failure.change()) == stuck) {
            return new ErrorDecision.Retry(Duration.ofHours(1));
        }
        if (failure.attempt() < MAX_ATTEMPTS) {
            return new ErrorDecision.Retry(Duration.ofNanos(random.nextLong(MAX_CALL_NANOS)));
        }
        return switch (random.nextInt(8)) {
            case 0 -> new ErrorDecision.ParkKey();
            case 1 -> new ErrorDecision.DeadLetter();
            default -> new ErrorDecision.Skip();
        };
    }

    private Random randomFor(DataChangeRecord change, int attempt) {
        return new Random(seed * 31 + number(change) * 7_919L + attempt * 104_729L);
    }

    private static int number(DataChangeRecord change) {
        return Integer.parseInt(change.serverTransactionId().substring("tx-".length()));
    }

    /** Everything that a change must come after has to be settled, or before it in the same call. */
    private void enter(List<DataChangeRecord> handed) {
        if (idle) {
            violations.add("a call after the end: " + handed);
        }
        if (!timesOut && Thread.currentThread().isInterrupted() && !one.dispatcher.isCancelled()) {
            violations.add("an interrupt was left behind for " + handed);
        }
        List<Integer> together = new ArrayList<>();
        for (DataChangeRecord change : handed) {
            int number = number(change);
            if (!inCall.add(number)) {
                violations.add("%d is in two calls".formatted(number));
            }
            if (settled.contains(number)) {
                violations.add("%d comes again after it was settled".formatted(number));
            }
            for (int earlier = 0; earlier < number; earlier++) {
                if (mustFollow(number, earlier) && !settled.contains(earlier) && !together.contains(earlier)) {
                    violations.add("%d overtakes %d".formatted(number, earlier));
                }
            }
            together.add(number);
        }
    }

    private void leave(List<DataChangeRecord> handed) {
        handed.forEach(change -> inCall.remove(number(change)));
    }

    private boolean mustFollow(int later, int earlier) {
        return switch (ordering) {
            case PARTITION -> true;
            case KEY -> !Collections.disjoint(RecordKey.of(changes.get(later)), RecordKey.of(changes.get(earlier)));
            case NONE -> false;
        };
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        if (!settled.add(number(change))) {
            violations.add("%d was settled twice".formatted(number(change)));
        }
        if (!behindStuck.contains(number(change))) {
            othersSettled.countDown();
        }
    }

    @Override
    public String toString() {
        return "%s %s%s, %s after %d, inflight %d, batch %d, budget %d; settled %s; in a call %s; watermark %s; violations %s"
                .formatted(
                        ordering,
                        batches ? "in batches" : "one by one",
                        timesOut ? " in time" : "",
                        end,
                        endAfter,
                        options.maxInflight(),
                        options.maxBatchSize(),
                        options.maxBufferedChanges(),
                        new TreeSet<>(settled),
                        new TreeSet<>(inCall),
                        one.partition.tracker().watermark(),
                        violations);
    }
}

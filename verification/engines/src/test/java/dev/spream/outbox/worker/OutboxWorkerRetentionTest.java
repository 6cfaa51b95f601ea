package dev.spream.outbox.worker;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.testkit.memory.InMemoryOutbox;
import dev.spream.testkit.memory.OutboxMemory;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker that removes what is over and old. */
final class OutboxWorkerRetentionTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final WorkerBench bench = new WorkerBench();

    @AfterEach
    void stop() {
        bench.close();
    }

    @Test
    void a_worker_removes_settled_entries_then_their_requests_and_the_audit_when_they_are_old() {
        long parked = bench.enqueue("parked");
        bench.start(
                ScriptedSender.of(OutboxSender.Guarantee.NEITHER, ScriptedSender.LOST),
                OutboxWorkerRetentionTest::days);
        bench.awaitParked(parked);
        settledByOperator(Retention.STEP * 2 + 1);

        bench.advanceUntil(Duration.ofHours(6), DAY.multipliedBy(2), () -> bench.count(OutboxStatus.ABORTED) == 0);
        assertThat(bench.ledger("order 1")).as("the ledger").isPresent();
        bench.advanceUntil(
                Duration.ofHours(6),
                DAY.multipliedBy(3),
                () -> bench.ledger("order 1").isEmpty());
        assertThat(auditIsEmpty()).as("no audit").isFalse();
        int settled = Retention.STEP * 2 + 1;
        bench.advanceUntil(
                Duration.ofHours(6),
                DAY.multipliedBy(4),
                () -> auditIsEmpty() && told().getOrDefault(OutboxHistory.AUDIT, 0) >= settled);
        assertThat(told())
                .isEqualTo(Map.of(
                        OutboxHistory.ENTRIES, settled, OutboxHistory.LEDGER, settled, OutboxHistory.AUDIT, settled));
        assertThat(bench.row(parked).parked()).isTrue();
        assertThat(bench.memory.ledger().find("parked")).isPresent();
    }

    /** Returns the numbers of removed rows that were reported to the listener, which follows their removal. */
    private Map<OutboxHistory, Integer> told() {
        return bench.events
                .all(RecordingOutboxListener.Event.Removed.class)
                .collect(groupingBy(
                        RecordingOutboxListener.Event.Removed::part,
                        summingInt(RecordingOutboxListener.Event.Removed::rows)));
    }

    @Test
    void nothing_is_removed_of_what_is_kept_for_ever() {
        settledByOperator(1);
        Set<OutboxHistory> asked = ConcurrentHashMap.newKeySet();
        AtomicInteger rounds = new AtomicInteger();
        OutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            public int removeOld(OutboxHistory part, Duration age, int limit) {
                asked.add(part);
                rounds.incrementAndGet();
                return super.removeOld(part, age, limit);
            }
        };
        bench.start(
                store,
                ScriptedSender.idempotent(ScriptedSender.OK),
                bench.time,
                options -> options.entryRetention(Duration.ZERO).ledgerRetention(Duration.ZERO));
        bench.advanceUntil(MINUTE, DAY, () -> rounds.get() >= 3);
        assertThat(asked).containsExactly(OutboxHistory.AUDIT);
        assertThat(bench.count(OutboxStatus.ABORTED)).isEqualTo(1);
    }

    @Test
    void a_step_that_fails_is_tried_again_in_the_next_round_and_does_not_keep_the_others_from_theirs() {
        settledByOperator(1);
        bench.time.advance(DAY.multipliedBy(10));
        AtomicInteger failures = new AtomicInteger();
        AtomicBoolean failing = new AtomicBoolean(true);
        OutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            public int removeOld(OutboxHistory part, Duration age, int limit) {
                if (part == OutboxHistory.ENTRIES && failing.get()) {
                    failures.incrementAndGet();
                    throw new StorageException("permission denied", false, null);
                }
                return super.removeOld(part, age, limit);
            }
        };
        bench.start(store, ScriptedSender.idempotent(ScriptedSender.OK), bench.time, OutboxWorkerRetentionTest::days);
        bench.advanceUntil(MINUTE, DAY, () -> failures.get() >= 2);
        bench.advanceUntil(MINUTE, DAY, this::auditIsEmpty);
        assertThat(bench.count(OutboxStatus.ABORTED)).isEqualTo(1);
        failing.set(false);
        bench.advanceUntil(MINUTE, DAY, () -> bench.count(OutboxStatus.ABORTED) == 0);
    }

    @Test
    void a_removal_that_hangs_keeps_nothing_from_being_sent_and_a_stop_ends_it_after_its_step() throws Exception {
        CountDownLatch removing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger steps = new AtomicInteger();
        OutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            public int removeOld(OutboxHistory part, Duration age, int limit) {
                steps.incrementAndGet();
                removing.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    throw new StorageException("interrupted", true, e);
                }
                return limit;
            }
        };
        WorkerBench.Running worker =
                bench.start(store, ScriptedSender.idempotent(ScriptedSender.OK), bench.time, options -> options);
        bench.advanceUntil(MINUTE, DAY, () -> removing.getCount() == 0);
        long id = bench.enqueue("order-1");
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);

        Thread stopping = Thread.ofVirtual().start(() -> worker.worker.shutdown(Duration.ofMinutes(5)));
        bench.time.advance(Duration.ofMillis(100));
        WorkerBench.await(() -> stopping.getState() == Thread.State.TIMED_WAITING);
        release.countDown();
        worker.thread.join();
        stopping.join();
        assertThat(steps).as("of those that each say that there is more").hasValue(1);
    }

    private boolean auditIsEmpty() {
        OutboxMemory memory = bench.memory.memory();
        return memory.locked(() -> memory.audit.isEmpty());
    }

    private static OutboxWorkerOptions.Builder days(OutboxWorkerOptions.Builder options) {
        return options.entryRetention(DAY).ledgerRetention(DAY.multipliedBy(3)).auditRetention(DAY.multipliedBy(6));
    }

    private void settledByOperator(int count) {
        for (int i = 1; i <= count; i++) {
            String key = "order " + i;
            try (InMemoryOutbox.Transaction transaction = bench.memory.begin()) {
                bench.memory
                        .outbox()
                        .enqueueAll(
                                transaction,
                                List.of(OutboxMessage.builder(key, "{}")
                                        .notBefore(WorkerBench.START.plus(DAY.multipliedBy(100)))
                                        .build()));
                transaction.commit();
            }
            long id = bench.memory.operations().find(key).orElseThrow().id();
            bench.memory.operations().abort(id, new OperatorAction("ann", "test"));
        }
    }
}

package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.worker.RecordingOutboxListener.Event;
import dev.spream.testkit.memory.InMemoryOutbox;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Entries with an ordering key: one at a time and in order, while workers fail, join and leave. */
final class OutboxWorkerOrderTest {
    private static final Duration LIFE = Duration.ofSeconds(20);

    private final WorkerBench bench = new WorkerBench();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final List<String> overlaps = new CopyOnWriteArrayList<>();
    private final Map<String, List<Long>> order = new ConcurrentHashMap<>();

    @AfterEach
    void stop() {
        release.countDown();
        bench.close();
        assertThat(overlaps).as("keys of which two were sent at a time").isEmpty();
    }

    /** A sender that watches over each ordering key. */
    private ScriptedSender watched(ScriptedSender.Script script) {
        return ScriptedSender.idempotent((entry, call) -> {
            String key = entry.orderingKey().orElseThrow();
            if (!underWay.add(key)) {
                overlaps.add(key);
            }
            try {
                order.computeIfAbsent(key, any -> new CopyOnWriteArrayList<>()).add(entry.id());
                return script.send(entry, call);
            } finally {
                underWay.remove(key);
            }
        });
    }

    private List<Long> enqueue(String orderingKey, int count) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(bench.enqueue(orderingKey + "-" + i, orderingKey));
        }
        return ids;
    }

    private void advanceUntilSettled(int entries) {
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofMinutes(20), () -> settled() == entries);
    }

    private long settled() {
        return bench.count(OutboxStatus.SUCCEEDED) + bench.count(OutboxStatus.ABORTED);
    }

    @Test
    void entries_without_an_ordering_key_cost_no_reads_of_segments_and_few_questions() {
        AtomicInteger reads = new AtomicInteger();
        AtomicInteger questions = new AtomicInteger();
        ForwardingOutboxStore counting = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
                reads.incrementAndGet();
                return target.ordered(destination, after, perSegment);
            }

            @Override
            public boolean hasOrdered() {
                questions.incrementAndGet();
                return target.hasOrdered();
            }
        };
        bench.start(
                counting,
                ScriptedSender.idempotent(ScriptedSender.OK),
                bench.time,
                options -> options.pollInterval(Duration.ofHours(1)));
        for (int i = 0; i < 100; i++) {
            bench.awaitStatus(bench.enqueue("free-" + i), OutboxStatus.SUCCEEDED);
            bench.time.advance(Duration.ofMillis(10));
            LockSupport.parkNanos(3_000_000); // the thread that reads has its turn
        }
        assertThat(reads.get()).as("reads of segments").isZero();
        assertThat(questions.get()).as("in a second").isBetween(2, 20);
        long ordered = bench.enqueue("ordered", "k");
        bench.advanceUntil(
                Duration.ofMillis(10), Duration.ofMillis(200), () -> bench.status(ordered) == OutboxStatus.SUCCEEDED);
    }

    @Test
    void entries_of_a_key_are_sent_in_their_order() {
        List<Long> ids = enqueue("customer-1", 100);
        bench.start(watched((entry, call) -> ScriptedSender.OK), options -> options.concurrency(16));
        advanceUntilSettled(100);
        assertThat(order).containsEntry("customer-1", ids);
    }

    @Test
    void keys_do_not_wait_for_each_other() {
        bench.enqueue("slow", "customer-slow");
        enqueue("customer-1", 20);
        enqueue("customer-2", 20);
        bench.start(watched((entry, call) -> {
            if (entry.idempotencyKey().equals("slow")) {
                release.await();
            }
            return ScriptedSender.OK;
        }));
        bench.advanceUntil(Duration.ofMillis(20), Duration.ofSeconds(2), () -> settled() == 40);
    }

    @Test
    void a_head_that_fails_holds_its_key_up_until_it_is_sent() {
        List<Long> ids = enqueue("customer-1", 3);
        bench.start(watched(
                (entry, call) -> entry.id() == ids.getFirst() && call < 3 ? ScriptedSender.DOWN : ScriptedSender.OK));
        advanceUntilSettled(3);
        assertThat(order)
                .containsEntry("customer-1", List.of(ids.get(0), ids.get(0), ids.get(0), ids.get(1), ids.get(2)));
    }

    @Test
    void an_aborted_head_lets_its_key_continue() {
        List<Long> ids = enqueue("customer-1", 3);
        bench.start(
                watched((entry, call) -> entry.id() == ids.getFirst() ? ScriptedSender.REJECTED : ScriptedSender.OK));
        advanceUntilSettled(3);
        assertThat(bench.status(ids.getFirst())).isEqualTo(OutboxStatus.ABORTED);
        assertThat(order).containsEntry("customer-1", ids);
    }

    @Test
    void a_head_that_expires_before_its_next_attempt_lets_its_key_continue() {
        long first = bench.enqueue(shortLived("customer-1"));
        long next = bench.enqueue("next", "customer-1");
        bench.start(
                watched((entry, call) -> entry.id() == first ? ScriptedSender.DOWN : ScriptedSender.OK),
                options ->
                        options.pollInterval(Duration.ofHours(1)).backoff(Backoff.table(List.of(Duration.ofHours(1)))));
        bench.awaitStatus(first, OutboxStatus.FAILED);
        bench.advanceUntil(
                Duration.ofMillis(100), LIFE.multipliedBy(2), () -> bench.status(next) == OutboxStatus.SUCCEEDED);
        assertThat(bench.status(first)).isEqualTo(OutboxStatus.ABORTED);
    }

    @Test
    void a_head_that_expires_while_there_is_no_room_lets_its_key_continue() {
        long busy = bench.enqueue("busy", "customer-2");
        bench.start(
                watched((entry, call) -> {
                    if (entry.id() == busy) {
                        release.await();
                    }
                    return ScriptedSender.OK;
                }),
                options ->
                        options.pollInterval(Duration.ofHours(1)).concurrency(1).batch(1));
        WorkerBench.await(() -> order.containsKey("customer-2"));
        long first = bench.enqueue(shortLived("customer-1"));
        long next = bench.enqueue("next", "customer-1");
        bench.time.advance(LIFE.plusSeconds(1));
        release.countDown();
        bench.advanceUntil(
                Duration.ofMillis(100), Duration.ofSeconds(10), () -> bench.status(next) == OutboxStatus.SUCCEEDED);
        assertThat(bench.status(first)).isEqualTo(OutboxStatus.ABORTED);
        assertThat(bench.events.all(Event.Expired.class)).hasSize(1);
    }

    @Test
    void a_store_that_cannot_abort_what_has_expired_delays_no_key() {
        long gone = bench.enqueue("gone", "customer-1");
        AtomicLong next = new AtomicLong();
        ForwardingOutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                if (operation.equals("expire")) {
                    throw new StorageException("entries cannot be aborted", true, null);
                }
                if (operation.equals("claimOrdered") && next.get() == 0) {
                    bench.memory.operations().abort(gone, new OperatorAction("operator", "continue"));
                    next.set(bench.enqueue("next", "customer-1"));
                }
                return call.get();
            }
        };
        bench.start(
                store,
                watched((entry, call) -> ScriptedSender.OK),
                bench.time,
                options -> options.pollInterval(Duration.ofHours(1)));
        bench.advanceUntil(
                Duration.ofMillis(10),
                Duration.ofSeconds(2),
                () -> next.get() > 0 && bench.status(next.get()) == OutboxStatus.SUCCEEDED);
    }

    private static OutboxMessage shortLived(String orderingKey) {
        return OutboxMessage.builder("short-lived", "{}")
                .orderingKey(orderingKey)
                .expiresAt(WorkerBench.START.plus(LIFE))
                .build();
    }

    @Test
    void a_parked_head_blocks_its_key_until_an_operator_settles_it() {
        List<Long> blocked = enqueue("customer-1", 3);
        enqueue("customer-2", 300);
        bench.start(
                watched((entry, call) ->
                        entry.id() == blocked.getFirst() ? ScriptedSender.REJECTED : ScriptedSender.OK),
                options -> options.orderedFailure(OrderedFailurePolicy.PARK));
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofMinutes(5), () -> settled() == 300);
        assertThat(bench.row(blocked.getFirst()).parked()).isTrue();
        assertThat(order).containsEntry("customer-1", List.of(blocked.getFirst()));
        bench.memory.operations().abort(blocked.getFirst(), new OperatorAction("operator", "continue"));
        advanceUntilSettled(303);
        assertThat(order).containsEntry("customer-1", blocked);
    }

    @Test
    void an_entry_that_was_committed_late_is_sent_before_those_behind_it_that_are_still_there() {
        InMemoryOutbox.Transaction late = bench.memory.begin();
        EnqueueResult first = bench.memory
                .outbox()
                .enqueue(
                        late,
                        OutboxMessage.builder("late", "{}")
                                .orderingKey("customer-1")
                                .build());
        List<Long> ids = enqueue("customer-1", 2);
        bench.start(watched((entry, call) -> {
            if (entry.id() == ids.getFirst()) {
                release.await();
            }
            return ScriptedSender.OK;
        }));
        bench.advanceUntil(Duration.ofMillis(10), Duration.ofSeconds(2), () -> order.containsKey("customer-1"));
        late.commit();
        long lateId = ((EnqueueResult.Enqueued) first).id();
        assertThat(lateId).isLessThan(ids.getFirst());
        release.countDown();
        advanceUntilSettled(3);
        assertThat(order).containsEntry("customer-1", List.of(ids.get(0), lateId, ids.get(1)));
    }

    @Test
    void a_late_entry_of_a_key_that_is_done_is_found() {
        InMemoryOutbox.Transaction late = bench.memory.begin();
        bench.memory
                .outbox()
                .enqueue(
                        late,
                        OutboxMessage.builder("late", "{}")
                                .orderingKey("customer-1")
                                .build());
        enqueue("customer-1", 2);
        bench.start(watched((entry, call) -> ScriptedSender.OK));
        advanceUntilSettled(2);
        late.commit();
        advanceUntilSettled(3);
    }

    @Test
    void more_entries_than_are_kept_in_memory_are_read_again() {
        int count = 5 * OrderingKeyQueue.MAX_IDS + OrderedClaimPlanner.PAGE;
        List<Long> ids = enqueue("customer-1", count);
        bench.start(watched((entry, call) -> ScriptedSender.OK));
        advanceUntilSettled(count);
        assertThat(order).containsEntry("customer-1", ids);
    }

    @Test
    void workers_share_segments_and_take_over_those_of_a_departing_worker() {
        int keys = 60;
        for (int i = 0; i < 10; i++) {
            for (int key = 0; key < keys; key++) {
                bench.enqueue("first-%d-%d".formatted(key, i), "customer-" + key);
            }
        }
        ScriptedSender one = watched((entry, call) -> ScriptedSender.OK);
        ScriptedSender two = watched((entry, call) -> ScriptedSender.OK);
        bench.start(one, options -> options.concurrency(8).name("one"));
        WorkerBench.Running leaver =
                bench.start(two, options -> options.concurrency(8).name("two"));
        advanceUntilSettled(10 * keys);
        int sentBefore = one.sent.size();
        bench.advanceUntil(
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                () -> bench.time.instant().isAfter(WorkerBench.START.plusSeconds(40)));
        for (int i = 0; i < 10; i++) {
            for (int key = 0; key < keys; key++) {
                bench.enqueue("second-%d-%d".formatted(key, i), "customer-" + key);
            }
        }
        advanceUntilSettled(20 * keys);
        assertThat(two.sent).as("sent by the worker that joined").isNotEmpty();
        assertThat(one.sent.size()).isGreaterThan(sentBefore);
        assertThat(leaver.worker.shutdown(Duration.ofSeconds(20))).isTrue();
        int sentByTwo = two.sent.size();
        for (int key = 0; key < keys; key++) {
            bench.enqueue("third-" + key, "customer-" + key);
        }
        advanceUntilSettled(21 * keys);
        assertThat(two.sent).hasSize(sentByTwo);
        order.values().forEach(ids -> assertThat(ids).isSorted().doesNotHaveDuplicates());
    }

    @Test
    void a_worker_that_alone_cannot_reach_the_receiver_leaves_its_segments_to_those_that_can() {
        int keys = 60;
        for (int i = 0; i < 3; i++) {
            for (int key = 0; key < keys; key++) {
                bench.enqueue("order-%d-%d".formatted(key, i), "customer-" + key);
            }
        }
        bench.start(
                ScriptedSender.idempotent(ScriptedSender.DOWN),
                options -> options.name("cut").concurrency(4).breakerFailures(3).breakerPause(Duration.ofSeconds(30)));
        bench.advanceUntil(
                Duration.ofMillis(10),
                Duration.ofSeconds(5),
                () -> bench.events.all(Event.BreakerOpened.class).count() == 1);
        bench.start(watched((entry, call) -> ScriptedSender.OK), options -> options.name("fine"));
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofMinutes(2), () -> settled() == 3 * keys);
        assertThat(bench.count(OutboxStatus.SUCCEEDED)).isEqualTo(3 * keys);
        order.values().forEach(ids -> assertThat(ids).isSorted().doesNotHaveDuplicates());
    }

    @Test
    void entries_of_a_key_are_sent_again_when_the_receiver_is_back() {
        AtomicBoolean down = new AtomicBoolean(true);
        ScriptedSender sender =
                ScriptedSender.idempotent((entry, call) -> down.get() ? ScriptedSender.DOWN : ScriptedSender.OK);
        enqueue("customer-1", 10);
        bench.start(sender, options -> options.breakerFailures(1).breakerPause(Duration.ofSeconds(10)));
        bench.advanceUntil(
                Duration.ofMillis(100),
                Duration.ofMinutes(2),
                () -> bench.events.all(Event.BreakerOpened.class).count() == 4);
        down.set(false);
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofMinutes(2), () -> settled() == 10);
        assertThat(bench.count(OutboxStatus.SUCCEEDED)).isEqualTo(10);
    }

    @Test
    void entries_with_and_without_a_key_share_a_single_slot() {
        for (int i = 0; i < 30; i++) {
            bench.enqueue("free-" + i);
            bench.enqueue("bound-" + i, "customer-" + i);
        }
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(sender, options -> options.concurrency(1));
        advanceUntilSettled(60);
        assertThat(bench.events.all(Event.LeaseLost.class)).isEmpty();
        assertThat(sender.mostSending()).isEqualTo(1);
    }

    @Test
    void a_store_that_loses_confirmations_of_ordered_claims_costs_time_and_no_order() {
        List<Long> ids = enqueue("customer-1", 5);
        FaultyOutboxStore faulty = new FaultyOutboxStore(bench.memory.store());
        faulty.unconfirmed.add("claimOrdered");
        bench.start(faulty, watched((entry, call) -> ScriptedSender.OK), bench.time, options -> options);
        WorkerBench.await(() -> faulty.failures.get() > 0);
        faulty.heal();
        advanceUntilSettled(5);
        assertThat(order).containsEntry("customer-1", ids);
    }
}

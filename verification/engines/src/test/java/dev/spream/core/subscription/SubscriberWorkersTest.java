package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Several workers that share one subscription through its storage. */
class SubscriberWorkersTest {
    private static final String[] SIX = {"a", "b", "c", "d", "e", "f"};
    private static final Duration TICK = Duration.ofMillis(20);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void a_worker_that_joins_is_handed_its_share() throws InterruptedException {
        source.roots(SIX);
        Subscriber ann = worker("ann", options -> options);
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());
        Polling.await(() -> held("ann").size() == 6, this::owners);

        Subscriber bob = worker("bob", options -> options);
        CompletableFuture<CompletionReason> bobRuns = fixture.start(bob, new RecordingConsumer());

        Polling.await(() -> held("ann").size() == 3 && held("bob").size() == 3, this::owners);
        assertThat(ann.shutdown(SubscriberFixture.BOUND)).isTrue();
        Polling.await(() -> held("bob").size() == 6, this::owners);
        assertThat(bob.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(List.of(SubscriberFixture.get(annRuns), SubscriberFixture.get(bobRuns)))
                .containsOnly(CompletionReason.SHUT_DOWN);
        assertThat(fixture.storage.workers()).isEmpty();
    }

    @Test
    void a_worker_that_joins_looks_sooner_than_usual_for_what_it_is_handed() throws InterruptedException {
        source.roots(SIX);
        Duration patient =
                Duration.ofSeconds(2); // of which it waits three before it takes back what bob does not claim
        Subscriber ann = worker("ann", options -> options.partitionDiscoveryInterval(patient));
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());
        Polling.await(() -> held("ann").size() == 6, this::owners);
        Duration usual = Duration.ofSeconds(20);

        long joinedAt = System.nanoTime();
        Subscriber bob = worker("bob", options -> options.partitionDiscoveryInterval(usual));
        CompletableFuture<CompletionReason> bobRuns = fixture.start(bob, new RecordingConsumer());

        Polling.await(() -> held("bob").size() == 3, this::owners);
        assertThat(Duration.ofNanos(System.nanoTime() - joinedAt)).isLessThan(usual);
        ann.close();
        bob.close();
        SubscriberFixture.get(annRuns);
        SubscriberFixture.get(bobRuns);
    }

    @Test
    void keys_stay_in_order_while_their_partitions_change_hands() throws InterruptedException {
        source.roots(SIX);
        for (String partition : SIX) {
            for (int second = 1; second <= 20; second++) {
                source.change(partition, second, partition);
            }
        }
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber ann = worker("ann", options -> options);
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, consumer);
        Polling.await(() -> held("ann").size() == 6, this::owners);
        Subscriber bob = worker("bob", options -> options);
        CompletableFuture<CompletionReason> bobRuns = fixture.start(bob, consumer);
        Polling.await(() -> held("bob").size() == 3, this::owners);
        for (String partition : SIX) {
            source.change(partition, 40, partition)
                    .split(partition, 50, "left " + partition, "right " + partition)
                    .change("left " + partition, 55, partition);
        }

        consumer.await(labels -> Set.copyOf(labels).size() == 6 * 22);
        Polling.await(() -> held("ann").size() == 6 && held("bob").size() == 6, this::owners);
        ann.close();
        bob.close();
        SubscriberFixture.get(annRuns);
        SubscriberFixture.get(bobRuns);
        for (String key : SIX) {
            assertThat(consumer.consumed().stream()
                            .map(RecordingConsumer.Consumed::change)
                            .filter(change -> change.mods().getFirst().keys().equals(JsonObject.of(Map.of("Id", key))))
                            .map(DataChangeRecord::commitTimestamp))
                    .as("changes of %s: what was settled last may come again, nothing before it", key)
                    .isSorted();
        }
    }

    @Test
    void partitions_of_a_dead_worker_are_read_at_the_end_of_its_lease() throws InterruptedException {
        source.roots("a");
        Subscriber first = worker("first", options -> options);
        CompletableFuture<CompletionReason> firstRuns = fixture.start(first, new RecordingConsumer());
        Polling.await(() -> held("first").size() == 1, this::owners);
        assertThat(first.shutdown(SubscriberFixture.BOUND)).isTrue();
        SubscriberFixture.get(firstRuns);
        Duration lease = Duration.ofMillis(300);
        WorkerId dead = new WorkerId("dead");
        fixture.storage.registerWorker(dead, 10, lease);
        PartitionLease taken = fixture.storage
                .acquire(dead, List.of(PartitionClaim.of(fixture.stored("a"))), lease)
                .getFirst();

        Subscriber next = worker("next", options -> options.partitionDiscoveryInterval(Duration.ofMinutes(10)));
        try (LogLines lines = new LogLines(PartitionScheduler.class)) {
            CompletableFuture<CompletionReason> nextRuns = fixture.start(next, new RecordingConsumer());
            Polling.await(() -> held("next").size() == 1, this::owners);
            assertThat(fixture.stored("a").epoch()).isEqualTo(taken.epoch() + 1);
            next.close();
            SubscriberFixture.get(nextRuns);
            assertThat(lines.of(Level.WARN, "Orders/a"))
                    .singleElement()
                    .asString()
                    .contains("taken over from worker dead, whose lease expired; reading continues at ");
        }
    }

    @Test
    void a_worker_that_drains_gets_no_share_any_more() throws InterruptedException {
        source.roots("a").change("a", 1, "k");
        CountDownLatch consuming = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Subscriber ann = worker("ann", options -> options);
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, (change, delivery) -> {
            consuming.countDown();
            released.await();
        });
        SubscriberFixture.await(consuming);

        Thread stopping = Thread.ofVirtual().start(() -> ann.shutdown(SubscriberFixture.BOUND));

        Polling.await(() -> fixture.storage.workers().isEmpty(), this::owners);
        assertThat(held("ann")).as("it drains, and holds what it consumes").containsExactly("a");
        released.countDown();
        stopping.join();
        assertThat(SubscriberFixture.get(annRuns)).isEqualTo(CompletionReason.SHUT_DOWN);
    }

    @Test
    void partitions_that_another_worker_leaves_unclaimed_are_claimed_after_a_while() throws InterruptedException {
        source.roots(SIX);
        fixture.storage.registerWorker(new WorkerId("stuck"), 10, Duration.ofHours(1));

        Subscriber ann = worker("ann", options -> options);
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());

        Polling.await(() -> held("ann").size() == 6, this::owners);
        ann.close();
        SubscriberFixture.get(annRuns);
    }

    /** As beside a worker of an earlier version, whose changes looks do not show. */
    @Test
    void a_partition_that_has_changed_unseen_is_claimed_after_everything_was_read() throws InterruptedException {
        PartitionLease root = open("a");
        fixture.storage.finish(root, START, PartitionEnd.childPartitions(START, List.of(new PartitionToken("a"))));
        source.change("a", 1, "k");
        AtomicBoolean first = new AtomicBoolean(true);
        PartitionStorage stale = SimulationSabotages.spoil(
                PartitionStorage.class, fixture.storage, "frontierSince", (target, arguments) -> {
                    FrontierChanges look = SimulationWorkerSabotages.look(target, arguments);
                    if (first.getAndSet(false)) {
                        fixture.storage.release(List.of(acquired("a")));
                    }
                    return look.complete()
                            ? look
                            : new FrontierChanges(
                                    false,
                                    Lineage.of(List.of(), look.partitions().readAt()),
                                    look.asOf(),
                                    look.mark(),
                                    look.workers());
                });
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber ann = Subscriber.builder(source, stale)
                .options(SubscriberFixture.quick()
                        .endAt(at(9))
                        .partitionDiscoveryInterval(Duration.ofMillis(10))
                        .build())
                .build();
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, consumer);

        consumer.await(labels -> labels.contains("k1"));
        ann.close();
        SubscriberFixture.get(annRuns);
    }

    @Test
    void nothing_is_acquired_after_the_registration_has_ended_while_it_was_prepared() throws InterruptedException {
        fixture.storage.release(List.of(open("a")));
        AtomicInteger acquired = new AtomicInteger();
        AtomicBoolean first = new AtomicBoolean(true);
        PartitionStorage slow =
                SimulationSabotages.spoil(PartitionStorage.class, fixture.storage, "proofs", (target, none) -> {
                    if (first.getAndSet(false)) {
                        Polling.await(
                                () -> fixture.storage.workers().stream().noneMatch(WorkerRegistration::alive),
                                this::owners);
                        assertThat(fixture.storage.correct(
                                        new Correction.MoveEnd(Optional.of(at(8))),
                                        new CorrectionAct("eve", "earlier")))
                                .isInstanceOf(CorrectionOutcome.Planned.class);
                    }
                    return target.proofs();
                });
        PartitionStorage counted =
                SimulationSabotages.spoil(PartitionStorage.class, slow, "acquire", (target, arguments) -> {
                    acquired.incrementAndGet();
                    return List.of();
                });
        Subscriber ann = Subscriber.builder(source, counted)
                .options(SubscriberFixture.quick()
                        .endAt(at(9))
                        .leaseTime(Duration.ofMillis(300))
                        .transactionMode(TransactionMode.WHOLE)
                        .build())
                .build();

        assertThatThrownBy(() -> fixture.run(ann, new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("was corrected");
        assertThat(acquired).hasValue(0);
    }

    /** Opens the subscription, and adds a partition of the stream. */
    private PartitionLease open(String partition) {
        fixture.storage.openSubscription(new SubscriptionRecord(
                source.streamName(),
                START,
                Optional.of(at(9)),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        PartitionLease root = acquired(PartitionToken.ROOT.value());
        fixture.storage.addChildren(
                root, new ChildPartitionsRecord(START, "", List.of(ChildPartition.of(partition, List.of()))));
        return root;
    }

    private PartitionLease acquired(String partition) {
        PartitionLease lease = fixture.storage
                .acquire(
                        new WorkerId("old"),
                        List.of(PartitionClaim.of(fixture.stored(partition))),
                        Duration.ofMinutes(1))
                .getFirst();
        fixture.storage.markRunning(lease);
        return lease;
    }

    @Test
    void a_worker_registers_what_it_can_read() throws InterruptedException {
        source.roots(SIX).maxOpenQueries(4);
        Subscriber ann = worker("ann", options -> options);
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());
        Polling.await(() -> held("ann").size() == 4, this::owners);
        assertThat(fixture.storage.workers())
                .extracting(WorkerRegistration::capacity)
                .containsExactly(4);

        Subscriber bob = worker("bob", options -> options.maxOpenPartitions(1));
        CompletableFuture<CompletionReason> bobRuns = fixture.start(bob, new RecordingConsumer());

        Polling.await(() -> held("bob").size() == 1, this::owners);
        ann.close();
        bob.close();
        SubscriberFixture.get(annRuns);
        SubscriberFixture.get(bobRuns);
    }

    @Test
    void a_worker_with_whole_transactions_waits_until_those_without_have_stopped() throws InterruptedException {
        source.roots("a", "b");
        Subscriber ann = worker("ann", options -> options);
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());
        Polling.await(() -> held("ann").size() == 2, this::owners);

        Subscriber bob = worker("bob", options -> options.transactionMode(TransactionMode.WHOLE));
        try (LogLines lines = new LogLines(PartitionScheduler.class)) {
            CompletableFuture<CompletionReason> bobRuns = fixture.start(bob, new RecordingConsumer());
            Polling.await(() -> !lines.of(Level.WARN, "Orders").isEmpty(), this::owners);
            source.split("a", 5, "a1", "a2");
            Polling.await(() -> held("ann").equals(Set.of("a1", "a2", "b")), this::owners);
            assertThat(held("bob")).isEmpty();
            assertThat(lines.of(Level.WARN, "Orders"))
                    .singleElement()
                    .asString()
                    .contains(
                            "this worker delivers whole transactions, and workers [ann] deliver each change by itself");

            ann.close();
            SubscriberFixture.get(annRuns);
            Polling.await(() -> held("bob").equals(Set.of("a1", "a2", "b")), this::owners);
            bob.close();
            SubscriberFixture.get(bobRuns);
        }
    }

    @Test
    void a_worker_without_whole_transactions_waits_until_those_with_them_have_stopped() throws InterruptedException {
        source.roots("a", "b");
        Subscriber ann = worker("ann", options -> options.transactionMode(TransactionMode.WHOLE));
        CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());
        Polling.await(() -> held("ann").size() == 2, this::owners);

        Subscriber bob = worker("bob", options -> options);
        try (LogLines lines = new LogLines(PartitionScheduler.class)) {
            CompletableFuture<CompletionReason> bobRuns = fixture.start(bob, new RecordingConsumer());
            Polling.await(() -> !lines.of(Level.WARN, "Orders").isEmpty(), this::owners);
            source.split("a", 5, "a1", "a2");
            Polling.await(() -> held("ann").equals(Set.of("a1", "a2", "b")), this::owners);
            assertThat(held("bob")).isEmpty();

            ann.close();
            SubscriberFixture.get(annRuns);
            Polling.await(() -> held("bob").equals(Set.of("a1", "a2", "b")), this::owners);
            bob.close();
            SubscriberFixture.get(bobRuns);
        }
    }

    /** As the clock of the storage has not moved, the worker that looks last counts as the first one, by its name. */
    @Test
    void workers_of_both_modes_that_acquire_at_the_same_moment_do_not_read_together() throws InterruptedException {
        source.roots("a", "b");
        fixture.storage = new InMemoryPartitionStorage(() -> ScriptedSource.START);
        Subscriber before = worker("before", options -> options);
        CompletableFuture<CompletionReason> beforeRuns = fixture.start(before, new RecordingConsumer());
        Polling.await(
                () -> held("before").size() == 2 && fixture.state("Parent0") == PartitionState.FINISHED, this::owners);
        before.close();
        SubscriberFixture.get(beforeRuns);

        PartitionStorage shared = fixture.storage;
        CountDownLatch zoeLooked = new CountDownLatch(1);
        CountDownLatch annLooked = new CountDownLatch(1);
        Set<String> readers = ConcurrentHashMap.newKeySet();
        try (LogLines lines = new LogLines(PartitionScheduler.class)) {
            fixture.storage = watched(shared, "zoe", readers, () -> {
                zoeLooked.countDown();
                SubscriberFixture.await(annLooked);
            });
            Subscriber zoe = worker(
                    "zoe", options -> options.maxOpenPartitions(1).partitionDiscoveryInterval(Duration.ofMinutes(10)));
            CompletableFuture<CompletionReason> zoeRuns = fixture.start(zoe, new RecordingConsumer());
            SubscriberFixture.await(zoeLooked);
            fixture.storage = watched(shared, "ann", readers, () -> {
                annLooked.countDown();
                Polling.await(() -> held("zoe").size() == 1 || readers.contains("zoe"), this::owners);
            });
            Subscriber ann = worker("ann", options -> options.transactionMode(TransactionMode.WHOLE));
            CompletableFuture<CompletionReason> annRuns = fixture.start(ann, new RecordingConsumer());

            Polling.await(
                    () -> lines.of(Level.WARN, "Orders").stream()
                                    .anyMatch(line -> line.contains("workers [zoe] deliver"))
                            || held("ann").size() == 2,
                    this::owners);
            Polling.await(() -> !readers.isEmpty(), this::owners); // if both have released, the next look decides
            assertThat(readers).as("%s", owners()).hasSize(1);
            zoe.close();
            SubscriberFixture.get(zoeRuns);
            Polling.await(() -> held("ann").equals(Set.of("a", "b")), this::owners);
            ann.close();
            SubscriberFixture.get(annRuns);
        }
    }

    /** Something that a thread of the engine waits for. */
    private interface Wait {
        void await() throws InterruptedException;
    }

    /** A storage that waits before the first acquire of that worker, and notes when the worker starts to read. */
    private static PartitionStorage watched(PartitionStorage shared, String worker, Set<String> readers, Wait wait) {
        AtomicBoolean acquires = new AtomicBoolean();
        return new FaultyStorage(shared, false, (call, method) -> {
                    if (method.equals("markRunning")) {
                        readers.add(worker);
                    }
                    if (method.equals("acquire") && acquires.compareAndSet(false, true)) {
                        try {
                            wait.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return FaultyStorage.Verdict.PASS;
                })
                .storage();
    }

    private Subscriber worker(String name, UnaryOperator<SubscriberOptions.Builder> options) {
        return fixture.subscriber(
                defaults -> options.apply(defaults.worker(new WorkerId(name)).partitionDiscoveryInterval(TICK)));
    }

    private Set<String> held(String worker) {
        return fixture.storage.lineage().partitions().stream()
                .filter(partition -> partition.leaseLive() && !partition.isFinished())
                .filter(partition -> !partition.token().isRoot())
                .filter(partition -> partition.owner().orElseThrow().value().equals(worker))
                .map(PartitionMetadata::token)
                .map(PartitionToken::value)
                .collect(Collectors.toSet());
    }

    private Map<String, String> owners() {
        return fixture.storage.lineage().partitions().stream()
                .collect(Collectors.toMap(
                        partition -> partition.token().value(),
                        partition -> partition.owner() + " " + partition.leaseLive() + " " + partition.state()));
    }
}

package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.ConsumerException;
import dev.spream.core.subscription.RetentionLoss;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoublePredicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every meter moves when a real subscription meets its event. */
@Timeout(60)
final class SpreamMetricsTest {
    private static final Duration RETENTION = Duration.ofDays(7);
    private static final Consumer IGNORE = (change, delivery) -> {};

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SpreamMetrics metrics = SpreamMetrics.of(registry, "orders");
    private final ScriptedSource source = new ScriptedSource();
    private PartitionStorage storage = new InMemoryPartitionStorage();

    @Test
    void counters_are_there_and_zero_from_the_beginning_and_gauges_are_not() {
        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getTags()).contains(Tag.of("subscription", "orders")))
                .allSatisfy(meter -> assertThat(meter.measure())
                        .allSatisfy(value -> assertThat(value.getValue()).isZero()));
        assertThat(gauges()).isEmpty();
        assertThat(registry.find("spream.stream.reconnects").counters())
                .hasSize(SourceException.Kind.values().length + 1);
        assertThat(registry.find("spream.changes.settled").counters())
                .hasSize(SubscriptionListener.Outcome.values().length);
        assertThat(registry.find("spream.delivery.failures").counters())
                .hasSize(ErrorDecision.class.getPermittedSubclasses().length);
        assertThat(registry.find("spream.storage.retries").counters()).hasSize(StorageOperation.values().length);
    }

    @Test
    void changes_that_are_delivered_are_counted_and_timed() {
        source.roots("p").change("p", 1, "A").change("p", 2, "B").split("p", 3, "c", "d");
        source.change("c", 4, "A");

        Consumer waiting = (change, delivery) -> {
            if (key(change).equals("B")) { // by then the watermark has moved past the change before
                awaitCount("spream.watermarks.writes");
            }
        };

        assertThat(run(waiting)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(count("spream.changes.settled", "outcome", "consumed")).isEqualTo(3);
        assertThat(count("spream.deliveries")).isEqualTo(3);
        assertThat(count("spream.delivery.retries")).isZero();
        assertThat(registry.get("spream.consume").timer().count()).isEqualTo(3);
        assertThat(count("spream.partitions.acquired")).isEqualTo(4); // the root, p, c and d
        assertThat(count("spream.partitions.finished")).isEqualTo(4);
        assertThat(count("spream.watermarks.writes")).isPositive();
        assertThat(registry.get("spream.handover").timer().count()).isEqualTo(3);
        assertThat(registry.get("spream.handover").timer().mean(TimeUnit.SECONDS))
                .isBetween(0.0, 10.0);
    }

    @Test
    void gauges_show_what_runs_and_are_gone_when_it_has_ended() {
        assertThat(metrics.isRetentionKnown()).isFalse();
        // The reader of p waits for room behind its first change: a partition that is read to its end leaves its place.
        source.roots("p", "q").change("p", 1, "A").change("p", 2, "B").retention(RETENTION);
        Consumer looking = (change, delivery) -> {
            if (key(change).equals("B")) {
                return;
            }
            await("spream.partitions.held", held -> held == 1);
            await("spream.partitions.waiting", waiting -> waiting == 1);
            await("spream.inflight", inflight -> inflight == 1);
            await("spream.low.watermark", low -> low == ScriptedSource.START.getEpochSecond());
            await("spream.lag", lag -> lag > 0);
            await("spream.lag.partition", lag -> lag > 30);
            await("spream.retention.left", left -> !Double.isNaN(left));
            await("spream.retention.period", period -> period == RETENTION.toSeconds());
            assertThat(gauge("spream.lag") + gauge("spream.retention.left"))
                    .isBetween(RETENTION.toSeconds() - 5.0, RETENTION.toSeconds() + 5.0);
            assertThat(metrics.retention()).contains(RETENTION);
            assertThat(metrics.isRetentionKnown()).isTrue();
        };

        assertThat(run(looking, options -> options.maxOpenPartitions(1))).isEqualTo(CompletionReason.COMPLETED);

        assertThat(gauges()).isEmpty();
        assertThat(metrics.retention()).isEmpty();
        assertThat(count("spream.changes.settled", "outcome", "consumed")).isEqualTo(2);
    }

    @Test
    void gauges_show_waits_for_move_ins_until_they_are_over() {
        source.roots("p");
        PartitionToken partition = new PartitionToken("q");
        MoveIn moveIn = new MoveIn(ScriptedSource.START, List.of(new PartitionToken("p")));
        source.change("p", 1, "A");

        run((change, delivery) -> {
            await("spream.movein.waiting", waiting -> waiting == 0);
            metrics.waitingForMoveIn(partition, moveIn);
            await("spream.movein.waiting", waiting -> waiting == 1);
            await("spream.movein.longest", longest -> longest > 0);
            metrics.moveInSettled(partition, moveIn, Duration.ofSeconds(1));
            await("spream.movein.waiting", waiting -> waiting == 0);
            await("spream.movein.longest", longest -> longest == 0);
        });

        assertThat(count("spream.changes.settled", "outcome", "consumed")).isEqualTo(1);
    }

    @Test
    void gauges_show_a_wait_that_outlasts_its_worker() {
        source.roots("p");
        PartitionToken partition = new PartitionToken("q");
        MoveIn moveIn = new MoveIn(ScriptedSource.START, List.of(new PartitionToken("p")));
        source.change("p", 1, "A");

        run((change, delivery) -> {
            metrics.waitingForMoveIn(partition, moveIn);
            await("spream.movein.longest", longest -> longest > 0.1);
            metrics.partitionReleased(partition);
            await("spream.movein.waiting", waiting -> waiting == 0);
            metrics.unclaimedWaitingForMoveIn(Map.of(partition, moveIn));
            await("spream.movein.waiting", waiting -> waiting == 1);
            await("spream.movein.longest", longest -> longest > 0.1);
            metrics.unclaimedWaitingForMoveIn(Map.of());
            await("spream.movein.waiting", waiting -> waiting == 0);
            await("spream.movein.longest", longest -> longest == 0);
        });

        assertThat(count("spream.changes.settled", "outcome", "consumed")).isEqualTo(1);
    }

    @Test
    void a_second_run_under_the_same_name_shows_its_own_gauges() {
        source.roots("p").change("p", 1, "A");
        run(IGNORE);
        storage = new InMemoryPartitionStorage();

        run((change, delivery) -> await("spream.partitions.held", held -> held == 1));

        assertThat(count("spream.deliveries")).isEqualTo(2);
    }

    @Test
    void several_subscriptions_share_a_registry() {
        SpreamMetrics other = SpreamMetrics.of(registry, "invoices");
        source.roots("p").change("p", 1, "A");

        run(IGNORE, options -> options.listener(other));

        assertThat(registry.get("spream.deliveries")
                        .tag("subscription", "orders")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("spream.deliveries")
                        .tag("subscription", "invoices")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void decisions_about_refused_changes_are_counted() {
        source.roots("p");
        for (String key : List.of("retry", "skip", "letter", "park", "fine")) {
            source.change("p", 1, key, "tx-" + key);
        }
        Consumer refusing = (change, delivery) -> {
            if (!key(change).equals("fine") && delivery.attempt() == 1) {
                throw new IllegalStateException("refused");
            }
        };

        run(
                refusing,
                options -> options.deadLetterSink(new KeptLetters())
                        .errorHandler(failure -> switch (key(failure.change())) {
                            case "retry" -> new ErrorDecision.Retry(Duration.ZERO);
                            case "skip" -> new ErrorDecision.Skip();
                            case "letter" -> new ErrorDecision.DeadLetter();
                            default -> new ErrorDecision.ParkKey();
                        }));

        for (String decision : List.of("retry", "skip", "dead_letter", "park_key")) {
            assertThat(count("spream.delivery.failures", "decision", decision))
                    .as(decision)
                    .isEqualTo(1);
        }
        assertThat(count("spream.delivery.retries")).isEqualTo(1);
        assertThat(count("spream.changes.settled", "outcome", "consumed")).isEqualTo(2);
        assertThat(count("spream.changes.settled", "outcome", "skipped")).isEqualTo(1);
        assertThat(count("spream.changes.settled", "outcome", "dead_lettered")).isEqualTo(2);
    }

    @Test
    void a_change_that_stops_the_subscription_is_counted() {
        source.roots("p").change("p", 1, "A");

        assertThatThrownBy(() -> run((change, delivery) -> {
                    throw new IllegalStateException("refused");
                }))
                .isInstanceOf(ConsumerException.class);

        assertThat(count("spream.delivery.failures", "decision", "stop")).isEqualTo(1);
        assertThat(gauges()).isEmpty();
    }

    @Test
    void a_call_that_takes_too_long_is_counted() {
        source.roots("p").change("p", 1, "A");
        CountDownLatch never = new CountDownLatch(1);
        Consumer slow = (change, delivery) -> {
            if (delivery.attempt() == 1) {
                never.await();
            }
        };

        run(
                slow,
                options -> options.consumeTimeout(Duration.ofSeconds(2)) // for the second attempt, too
                        .errorHandler(failure -> new ErrorDecision.Retry(Duration.ZERO)));

        assertThat(count("spream.delivery.timeouts")).isEqualTo(1);
    }

    @Test
    void streams_that_break_are_counted_by_cause() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "C");
        source.fault(
                "p", new Fault.Break(1, SourceException.Kind.TRANSIENT), new Fault.EndWithOk(2), new Fault.Repeat());

        runUntilStopped(new CountDownLatch(3), options -> options, () -> null);

        assertThat(count("spream.stream.reconnects", "cause", "transient")).isEqualTo(1);
        assertThat(count("spream.stream.reconnects", "cause", "end_without_proof"))
                .isEqualTo(1);
        assertThat(count("spream.stream.duplicates")).isPositive();
        assertThat(count("spream.changes.settled", "outcome", "consumed")).isEqualTo(3);
    }

    @Test
    void a_loss_that_is_accepted_is_counted() {
        source.roots("p").change("p", 1, "A").change("p", 100, "A").retention(RETENTION);
        source.serverTime(ScriptedSource.at(50).plus(RETENTION));
        source.fault("p", new Fault.Break(0, SourceException.Kind.RETENTION_LOST));

        run(IGNORE, options -> options.endAt(ScriptedSource.at(200)).retentionLoss(RetentionLoss.ACCEPT_GAP));

        assertThat(count("spream.stream.gaps")).isEqualTo(1);
    }

    @Test
    void transactions_that_lack_changes_are_counted_by_reason() {
        source.roots("p", "q").add("p", ofTwo(2, "tx-2")).heartbeat("p", 3).retention(RETENTION);
        source.serverTime(ScriptedSource.at(50).plus(RETENTION));
        run((TransactionConsumer) transaction -> {});

        assertThat(count("spream.transactions.incomplete", "reason", "unknown")).isEqualTo(1);
        assertThat(count("spream.transactions.incomplete", "reason", "gap")).isZero();

        storage = new InMemoryPartitionStorage();
        source.fault("q", new Fault.Break(0, SourceException.Kind.RETENTION_LOST));
        run(
                (TransactionConsumer) transaction -> {},
                options -> options.endAt(ScriptedSource.at(200)).retentionLoss(RetentionLoss.ACCEPT_GAP));

        assertThat(count("spream.transactions.incomplete", "reason", "gap")).isEqualTo(1);
        assertThat(count("spream.transactions.incomplete", "reason", "unknown")).isEqualTo(1);
    }

    /** A change of a transaction that has another one. */
    private static DataChangeRecord ofTwo(long second, String transaction) {
        DataChangeRecord change = ScriptedSource.newChange(second, "A", transaction);
        return new DataChangeRecord(
                change.commitTimestamp(),
                "0",
                transaction,
                false,
                change.tableName(),
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                2,
                2,
                "",
                false);
    }

    @Test
    void a_storage_that_fails_is_counted_by_what_it_was_asked() {
        source.roots("p").change("p", 1, "A");
        storage = SpoiledStorage.failingOnce("openSubscription");
        run(IGNORE);
        assertThat(count("spream.storage.retries", "operation", "open")).isEqualTo(1);

        storage = SpoiledStorage.failingOnce("frontierSince");
        run(IGNORE);
        assertThat(count("spream.storage.retries", "operation", "lineage")).isEqualTo(1);

        storage = SpoiledStorage.failingOnce("finish");
        run(IGNORE);
        assertThat(count("spream.storage.retries", "operation", "finish")).isEqualTo(1);
        assertThat(count("spream.storage.retries", "operation", "other")).isZero();
    }

    @Test
    void a_lease_that_is_lost_and_a_partition_that_is_given_back_are_counted() throws InterruptedException {
        source.roots("p").change("p", 1, "A");
        storage = SpoiledStorage.losingLeases();
        CountDownLatch delivered = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        SubscriptionListener loss = new SubscriptionListener() {
            @Override
            public void leaseLost(PartitionToken partition, long epoch) {
                lost.countDown();
            }
        };
        runUntilStopped(delivered, options -> options.listener(loss).leaseTime(Duration.ofMillis(200)), () -> {
            assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
            return null;
        });
        assertThat(count("spream.leases.lost")).isPositive();

        storage = new InMemoryPartitionStorage();
        runUntilStopped(new CountDownLatch(1), options -> options, () -> null);
        assertThat(count("spream.partitions.released")).isPositive();
    }

    private void runUntilStopped(
            CountDownLatch delivered, UnaryOperator<SubscriberOptions.Builder> options, Callable<?> meanwhile)
            throws InterruptedException {
        SubscriberOptions.Builder endless = SubscriberOptions.builder()
                .startAt(ScriptedSource.START)
                .watermarkInterval(Duration.ofMillis(5))
                .listener(metrics);
        try (Subscriber subscriber = Subscriber.builder(source, storage)
                .options(options.apply(endless).build())
                .build()) {
            CompletableFuture<CompletionReason> ended = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> ended.complete(subscriber.run(change -> delivered.countDown())));
            assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
            meanwhile.call();
            subscriber.shutdown(Duration.ofSeconds(30));
            assertThat(ended.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo(CompletionReason.SHUT_DOWN);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private CompletionReason run(Consumer consumer) {
        return run(consumer, options -> options);
    }

    private CompletionReason run(Consumer consumer, UnaryOperator<SubscriberOptions.Builder> options) {
        SubscriberOptions.Builder bounded = SubscriberOptions.builder()
                .startAt(ScriptedSource.START)
                .endAt(ScriptedSource.at(10))
                .watermarkInterval(Duration.ofMillis(5))
                .listener(metrics);
        try (Subscriber subscriber = Subscriber.builder(source, storage)
                .options(options.apply(bounded).build())
                .build()) {
            return subscriber.run(consumer);
        }
    }

    private static String key(DataChangeRecord change) {
        return change.mods().getFirst().keys().string("Id").orElseThrow();
    }

    private double count(String name, String... tags) {
        return registry.get(name)
                .tag("subscription", "orders")
                .tags(tags)
                .counter()
                .count();
    }

    /** But for those that are the buckets of a timer. */
    private List<String> gauges() {
        return registry.getMeters().stream()
                .filter(Gauge.class::isInstance)
                .map(meter -> meter.getId().getName())
                .filter(name -> !name.endsWith(".histogram"))
                .toList();
    }

    private void awaitCount(String name) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (count(name) == 0) {
            assertThat(System.nanoTime()).as(name).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private double gauge(String name) {
        Meter gauge = registry.find(name).tag("subscription", "orders").meter();
        return gauge == null ? Double.NaN : gauge.measure().iterator().next().getValue();
    }

    private void await(String name, DoublePredicate condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.test(gauge(name))) {
            assertThat(System.nanoTime()).as("%s is %s", name, gauge(name)).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static final class KeptLetters implements DeadLetterSink {
        @Override
        public void accept(DeadLetter letter) {}

        @Override
        public Set<RecordKey> parkedKeys() {
            return Set.of();
        }
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.FaultyStorage.Verdict;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A crash at any call to the storage while partitions take turns, and a restart over what was stored. */
class HandOverCrashTest {
    private static final Duration LEASE_TIME = Duration.ofHours(1);
    private static final Duration STEP = Duration.ofSeconds(1);

    private final AtomicInteger released = new AtomicInteger();

    @Test
    void a_crash_while_partitions_take_turns_loses_nothing_and_keeps_the_order() throws InterruptedException {
        for (Verdict verdict : List.of(Verdict.FAIL_BEFORE, Verdict.FAIL_AFTER)) {
            int crashes = 0;
            while (crashAndRestart(crashes + 1, verdict)) {
                crashes++;
            }
            assertThat(crashes).as("%s", verdict).isGreaterThan(15);
        }
        assertThat(released.get()).as("partitions handed over").isGreaterThan(4);
    }

    private boolean crashAndRestart(int failing, Verdict verdict) throws InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(START);
        PartitionStorage surviving = new InMemoryPartitionStorage(() -> requireNonNull(now.get()));
        PartitionStorage crashing = new FaultyStorage(
                        surviving, false, (call, method) -> call >= failing ? verdict : Verdict.PASS)
                .storage();
        List<String> delivered = new ArrayList<>();
        boolean crashed = !run(crashing, true, delivered);
        if (crashed) {
            now.set(START.plus(LEASE_TIME).plusSeconds(1));
            assertThat(run(surviving, false, delivered)).isTrue();
        }
        String situation = "%s at call %d: %s".formatted(verdict, failing, delivered);
        assertThat(Set.copyOf(delivered)).as(situation).containsExactlyInAnyOrder("A1", "A7", "B2", "B8");
        for (String key : List.of("A", "B")) {
            List<String> history =
                    delivered.stream().filter(label -> label.startsWith(key)).toList();
            assertThat(history.subList(0, history.size() - 1).stream()
                            .filter(history.getLast()::equals)
                            .count())
                    .as(situation)
                    .isLessThanOrEqualTo(1);
            assertThat(history.getLast()).as(situation).isIn("A7", "B8");
        }
        return crashed;
    }

    /** Returns whether the subscription completed. */
    private boolean run(PartitionStorage storage, boolean takingTurns, List<String> delivered)
            throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        fixture.storage = storage;
        script(fixture.source, takingTurns);
        DrivenTime time = new DrivenTime(START);
        RecordingConsumer consumer = new RecordingConsumer();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber(fixture, time), consumer);
        Polling.await(
                () -> {
                    time.advance(STEP);
                    return run.isDone();
                },
                fixture.source::queries);
        for (String key : List.of("A", "B")) {
            assertThat(consumer.labels().stream().filter(label -> label.startsWith(key)))
                    .as("one run")
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
        delivered.addAll(consumer.labels());
        return !run.isCompletedExceptionally() && run.join() == CompletionReason.COMPLETED;
    }

    private Subscriber subscriber(SubscriberFixture fixture, DrivenTime time) {
        return Subscriber.builder(fixture.source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .endAt(at(9))
                        .maxInflight(4)
                        .maxOpenPartitions(1)
                        .watermarkInterval(Duration.ofSeconds(3))
                        .leaseTime(LEASE_TIME)
                        .heartbeatInterval(SubscriberOptions.MAX_HEARTBEAT_INTERVAL)
                        .listener(new SubscriptionListener() {
                            @Override
                            public void partitionReleased(PartitionToken partition) {
                                released.incrementAndGet();
                            }
                        })
                        .build())
                .time(time)
                .build();
    }

    /** The first query of each partition stays open in the middle of it, until its turn is over. */
    private static void script(ScriptedSource source, boolean takingTurns) {
        source.roots("a", "b")
                .change("a", 1, "A")
                .heartbeat("a", 5)
                .change("a", 7, "A")
                .change("b", 2, "B")
                .heartbeat("b", 6)
                .change("b", 8, "B");
        if (takingTurns) {
            source.fault("a", new Fault.Stall(2)).fault("b", new Fault.Stall(2));
        }
    }
}

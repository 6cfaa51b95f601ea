package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.child;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.subscription.FaultyStorage.Verdict;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A crash of a process that begins with a snapshot, at any call to the storage, and a restart with other options: without
 * the snapshot, and with another division of the rows. The stored subscription continues as it began.
 */
class SnapshotCrashTest {
    private static final Duration LEASE_TIME = Duration.ofHours(1);

    /** The division of rows when the subscription is created, and the one that is configured after the crash. */
    private static final String STORED = "tables-2";

    private static final String CONFIGURED_LATER = "tables-1";

    @ParameterizedTest
    @EnumSource(names = {"FAIL_BEFORE", "FAIL_AFTER"})
    void a_restart_without_the_option_reads_the_rest_of_the_snapshot(Verdict verdict) throws InterruptedException {
        assertThat(crashAtEveryCall(verdict, false)).isGreaterThan(20);
    }

    @ParameterizedTest
    @EnumSource(names = {"FAIL_BEFORE", "FAIL_AFTER"})
    void a_restart_with_the_option_reads_no_second_snapshot(Verdict verdict) throws InterruptedException {
        assertThat(crashAtEveryCall(verdict, true)).isGreaterThan(20);
    }

    private static int crashAtEveryCall(Verdict verdict, boolean again) throws InterruptedException {
        for (int n = 1; ; n++) {
            AtomicReference<Instant> now = new AtomicReference<>(at(0));
            PartitionStorage surviving = new InMemoryPartitionStorage(() -> requireNonNull(now.get()));
            List<String> delivered = new ArrayList<>();
            if (!runWithCrash(surviving, n, verdict, delivered)) {
                return n - 1;
            }
            if (surviving.subscription().isPresent()) {
                now.set(at(0).plus(LEASE_TIME).plusSeconds(1)); // what the crashed worker held is free again
                ScriptedSource source = runToTheEnd(surviving, again, delivered);
                requireOneSnapshot(source, surviving, delivered, n);
            } else {
                assertThat(delivered).as("crash at call %d", n).isEmpty();
            }
        }
    }

    private static boolean runWithCrash(PartitionStorage surviving, int n, Verdict verdict, List<String> delivered)
            throws InterruptedException {
        FaultyStorage crashing =
                new FaultyStorage(surviving, false, (call, method) -> call >= n ? verdict : Verdict.PASS);
        try {
            run(source(STORED), surviving, crashing.storage(), true, delivered);
            return false;
        } catch (RuntimeException e) {
            return true;
        }
    }

    private static ScriptedSource runToTheEnd(PartitionStorage surviving, boolean again, List<String> delivered)
            throws InterruptedException {
        ScriptedSource source = source(CONFIGURED_LATER);
        assertThat(run(source, surviving, surviving, again, delivered)).isEqualTo(CompletionReason.COMPLETED);
        return source;
    }

    private static CompletionReason run(
            ScriptedSource source,
            PartitionStorage surviving,
            PartitionStorage storage,
            boolean snapshot,
            List<String> delivered)
            throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = Subscriber.builder(source, storage)
                .options(SubscriberOptions.builder()
                        .snapshot(snapshot)
                        .endAt(at(9))
                        .watermarkInterval(Duration.ofMillis(1))
                        .partitionDiscoveryInterval(Duration.ofMillis(10))
                        .leaseTime(LEASE_TIME)
                        .build())
                .build();
        try {
            CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
            Polling.await(() -> surviving.subscription().isPresent() || run.isDone(), () -> "not stored");
            source.serverTime(at(99)); // the end of the subscription is past
            return SubscriberFixture.get(run);
        } finally {
            delivered.addAll(consumer.labels());
        }
    }

    private static void requireOneSnapshot(
            ScriptedSource source, PartitionStorage storage, List<String> delivered, int crash) {
        assertThat(Set.copyOf(delivered))
                .as("crash at call %d", crash)
                .containsExactlyInAnyOrder("A0", "B0", "A1", "B2");
        assertThat(delivered).containsSubsequence("A0", "A1").containsSubsequence("B0", "B2");
        assertThat(source.queriesOf("snapshot:" + CONFIGURED_LATER))
                .as("crash at call %d", crash)
                .isEmpty();
        assertThat(storage.lineage().partitions())
                .extracting(partition -> partition.token().value())
                .as("crash at call %d", crash)
                .filteredOn(token -> token.endsWith(CONFIGURED_LATER))
                .isEmpty();
        assertThat(LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                        .findings())
                .as("crash at call %d", crash)
                .isEmpty();
    }

    /** A source with a snapshot of two chunks, in each division, and a change of a key of each after it. */
    private static ScriptedSource source(String division) {
        ScriptedSource source =
                new ScriptedSource().serverTime(START).roots("p").snapshotQuery("snapshot:" + division);
        for (String each : List.of(STORED, CONFIGURED_LATER)) {
            source.add("snapshot:" + each, children(START, "snapshot:keys-" + each, List.of()));
            source.add(
                    "snapshot:keys-" + each, children(START, "snapshot:a-" + each, List.of("snapshot:keys-" + each)));
            source.add(
                    "snapshot:keys-" + each, children(START, "snapshot:b-" + each, List.of("snapshot:keys-" + each)));
            source.change("snapshot:a-" + each, 0, "A").add("snapshot:a-" + each, continued());
            source.change("snapshot:b-" + each, 0, "B").add("snapshot:b-" + each, continued());
            List.of("snapshot:", "snapshot:keys-", "snapshot:a-", "snapshot:b-")
                    .forEach(kind -> source.end(kind + each));
        }
        source.add("snapshot:stream", children(START.plusNanos(1), "p", List.of("snapshot:stream")))
                .end("snapshot:stream");
        source.change("p", 1, "A").change("p", 2, "B");
        return source;
    }

    private static ChildPartitionsRecord continued() {
        return children(START.plusNanos(1), "snapshot:stream", List.of("snapshot:rows"));
    }

    private static ChildPartitionsRecord children(Instant start, String token, List<String> parents) {
        return new ChildPartitionsRecord(start, "0", List.of(child(token, parents.toArray(String[]::new))));
    }
}

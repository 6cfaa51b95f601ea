package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.FaultyStorage.Verdict;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A crash at any call to the storage, and a restart over what was stored: nothing is lost, keys stay in order. */
class SubscriberCrashTest {
    private static final Duration LEASE_TIME = Duration.ofHours(1);
    private static final List<String> EVERYTHING =
            List.of("A1", "A2", "A4", "A6", "B1", "B3", "B4", "C2", "C5", "C6", "D3", "D6");

    @Test
    void a_storage_that_fails_for_good_at_any_call_loses_nothing_after_a_restart() throws InterruptedException {
        int crashes = crashAtEveryCall(Verdict.FAIL_BEFORE);
        assertThat(crashes).isGreaterThan(20);
    }

    @Test
    void a_storage_that_loses_its_confirmation_at_any_call_loses_nothing_after_a_restart() throws InterruptedException {
        int crashes = crashAtEveryCall(Verdict.FAIL_AFTER);
        assertThat(crashes).isGreaterThan(20);
    }

    @Test
    void a_storage_that_fails_for_a_moment_at_any_call_stops_nothing() throws InterruptedException {
        for (Verdict verdict : List.of(Verdict.FAIL_BEFORE, Verdict.FAIL_AFTER)) {
            for (int n = 1; n < 30; n++) {
                int failing = n;
                SubscriberFixture fixture = new SubscriberFixture();
                script(fixture.source);
                fixture.storage = new FaultyStorage(
                                new InMemoryPartitionStorage(),
                                true,
                                (call, method) -> call == failing ? verdict : Verdict.PASS)
                        .storage();
                RecordingConsumer consumer = new RecordingConsumer();

                CompletionReason result = fixture.run(
                        Subscriber.builder(fixture.source, fixture.storage)
                                .options(quick().leaseTime(Duration.ofSeconds(1))
                                        .partitionDiscoveryInterval(Duration.ofMillis(10))
                                        .build())
                                .build(),
                        consumer);

                assertThat(result).as("call %d %s", n, verdict).isEqualTo(CompletionReason.COMPLETED);
                assertThat(Set.copyOf(consumer.labels()))
                        .as("call %d %s", n, verdict)
                        .containsExactlyInAnyOrderElementsOf(EVERYTHING);
            }
        }
    }

    /** Runs with a crash at call 1, then 2, and so on, until a run makes fewer calls than that; how many crashed. */
    private static int crashAtEveryCall(Verdict verdict) throws InterruptedException {
        for (int n = 1; ; n++) {
            AtomicReference<Instant> now = new AtomicReference<>(at(0));
            PartitionStorage surviving = new InMemoryPartitionStorage(() -> requireNonNull(now.get()));
            List<String> delivered = new ArrayList<>();
            boolean crashed = runWithCrash(surviving, n, verdict, delivered);
            if (!crashed) {
                return n - 1;
            }
            now.set(at(0).plus(LEASE_TIME).plusSeconds(1)); // what the crashed worker held is free again
            runToTheEnd(surviving, delivered);
            assertThat(new LinkedHashSet<>(delivered))
                    .as("crash at call %d: everything comes", n)
                    .containsExactlyInAnyOrderElementsOf(EVERYTHING);
            assertInOrder(delivered, n);
        }
    }

    private static boolean runWithCrash(PartitionStorage surviving, int n, Verdict verdict, List<String> delivered)
            throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        script(fixture.source);
        RecordingConsumer consumer = new RecordingConsumer();
        FaultyStorage crashing =
                new FaultyStorage(surviving, false, (call, method) -> call >= n ? verdict : Verdict.PASS);
        try {
            fixture.run(
                    Subscriber.builder(fixture.source, crashing.storage())
                            .options(quick().build())
                            .build(),
                    consumer);
            return false;
        } catch (RuntimeException e) {
            return true;
        } finally {
            delivered.addAll(consumer.labels());
        }
    }

    private static void runToTheEnd(PartitionStorage surviving, List<String> delivered) throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        script(fixture.source);
        RecordingConsumer consumer = new RecordingConsumer();
        CompletionReason result = fixture.run(
                Subscriber.builder(fixture.source, surviving)
                        .options(quick().partitionDiscoveryInterval(Duration.ofMillis(10))
                                .build())
                        .build(),
                consumer);
        assertThat(result).isEqualTo(CompletionReason.COMPLETED);
        delivered.addAll(consumer.labels());
    }

    /** After a crash the history of a key resumes from an earlier change on, still in order. */
    private static void assertInOrder(List<String> delivered, int crash) {
        for (String key : List.of("A", "B", "C", "D")) {
            List<Integer> history = delivered.stream()
                    .filter(label -> label.startsWith(key))
                    .map(label -> Integer.parseInt(label.substring(1)))
                    .toList();
            int steps = 0;
            for (int i = 1; i < history.size(); i++) {
                if (history.get(i) <= history.get(i - 1)) {
                    steps++;
                }
            }
            assertThat(steps)
                    .as("crash at call %d: key %s came as %s", crash, key, history)
                    .isLessThanOrEqualTo(1);
        }
    }

    private static SubscriberOptions.Builder quick() {
        return SubscriberFixture.quick()
                .endAt(at(10))
                .maxInflight(4)
                .watermarkInterval(Duration.ofMillis(1))
                .leaseTime(LEASE_TIME);
    }

    private static void script(ScriptedSource source) {
        source.roots("p", "q")
                .change("p", 1, "A")
                .change("p", 1, "B", "other")
                .change("p", 2, "A")
                .fault("p", new Fault.Break(2, SourceException.Kind.TRANSIENT))
                .split("p", 3, "p1", "p2")
                .change("p1", 4, "A")
                .change("p2", 3, "B")
                .change("p2", 4, "B")
                .change("q", 2, "C")
                .change("q", 3, "D")
                .merge("p2", "q", 5, "m")
                .change("m", 5, "C")
                .change("m", 6, "D")
                .change("m", 6, "C", "other")
                .change("p1", 6, "A");
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.FaultyStorage.Verdict;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A partition that is older than the stream's retention period as a whole, the names of its children included. */
class ExpiredPartitionTest {
    private static final Duration RETENTION = Duration.ofSeconds(1_000);
    private static final Instant GAP_END = at(51);
    private static final Duration A_WHILE = Duration.ofMillis(100);
    private static final Duration LEASE_TIME = Duration.ofHours(1);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void the_partitions_that_live_where_the_stream_begins_take_its_place() throws InterruptedException {
        scriptExpired(source);
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A100", "B110");
        assertThat(fixture.stored("p").gaps()).containsExactly(new PartitionGap(START, GAP_END));
        assertThat(fixture.stored("p").endProof())
                .contains(new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, GAP_END, List.of(token("x"), token("y"))));
        assertThat(fixture.stored("x").parentTokens()).containsExactly(token("p"));
        assertThat(fixture.stored("x").startTimestamp()).isEqualTo(GAP_END);
    }

    @Test
    void an_expired_partition_stops_the_subscription_unless_losses_are_accepted() {
        scriptExpired(source);

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(o -> o.endAt(at(200))), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("no change was skipped")
                .hasMessageContaining("ACCEPT_GAP");

        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
    }

    @Test
    void partitions_that_are_stored_already_stay_as_they_are() throws InterruptedException {
        source.roots("p", "x").change("x", 1, "B").change("x", 100, "B").livingLater("x", "y");
        source.retention(RETENTION).serverTime(at(50).plus(RETENTION));
        source.refuse("p", query -> expired());
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("B1", "B100");
        assertThat(fixture.stored("x").startTimestamp()).isEqualTo(START);
        assertThat(fixture.stored("x").parentTokens()).isEmpty();
        assertThat(fixture.stored("x").gaps()).isEmpty();
        assertThat(fixture.stored("y").parentTokens()).containsExactly(token("p"));
    }

    /** Found at the end of the gap, the child of a living partition would start there, and not wait for its parent. */
    @Test
    void a_child_that_a_living_partition_names_with_an_earlier_start_is_read_from_there() throws InterruptedException {
        AtomicBoolean blinks = new AtomicBoolean(true);
        source.roots("p", "q")
                .change("q", 5, "A")
                .split("q", 10, "r")
                .change("r", 20, "A")
                .change("r", 100, "A")
                .livingLater("r")
                .retention(RETENTION)
                .serverTime(at(50).plus(RETENTION))
                .refuse("p", query -> expired())
                .refuse(
                        "q",
                        query -> blinks.get()
                                ? new SourceException(SourceException.Kind.TRANSIENT, "the server blinks", null)
                                : null);
        RecordingConsumer consumer = new RecordingConsumer();
        CompletableFuture<CompletionReason> run = fixture.start(accepting(at(200)), consumer);
        Polling.await(() -> fixture.isStoredAt("p", GAP_END), () -> fixture.storage.lineage());
        Thread.sleep(A_WHILE);
        blinks.set(false);

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("A5", "A20", "A100");
        assertThat(fixture.stored("r").parentTokens()).containsExactly(token("q"));
        assertThat(fixture.stored("r").startTimestamp()).isEqualTo(at(10));
    }

    /** The query waits for the others, and this one for the query. */
    @Test
    void a_partition_that_continues_the_expired_one_is_not_awaited() throws InterruptedException {
        source.roots("p", "q")
                .change("q", 5, "A")
                .merge("q", "p", 10, "r")
                .change("r", 20, "A")
                .change("r", 100, "A")
                .livingLater("r")
                .retention(RETENTION)
                .serverTime(at(50).plus(RETENTION))
                .refuse("p", query -> expired());
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("A5", "A20", "A100");
    }

    @Test
    void nothing_takes_its_place_in_a_subscription_that_ends_inside_the_gap() throws InterruptedException {
        scriptExpired(source);

        assertThat(fixture.run(accepting(at(40)), new RecordingConsumer())).isEqualTo(CompletionReason.COMPLETED);

        assertThat(fixture.stored("p").endProof())
                .contains(new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, GAP_END, List.of()));
        assertThat(source.queriesOf(PartitionToken.ROOT.value())).hasSize(2); // before it was stored, and then
    }

    @Test
    void the_search_for_its_place_is_repeated_when_it_breaks_or_ends_with_nothing() throws InterruptedException {
        scriptExpired(source);
        source.fault(
                PartitionToken.ROOT.value(),
                new Fault.None(),
                new Fault.Break(1, SourceException.Kind.TRANSIENT),
                new Fault.EndWithOk(0));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A100", "B110");
        assertThat(fixture.stored("p").gaps()).containsExactly(new PartitionGap(START, GAP_END));
    }

    @Test
    void a_search_that_finds_its_time_lost_meanwhile_makes_the_gap_longer() throws InterruptedException {
        scriptExpired(source);
        source.refuse(
                PartitionToken.ROOT.value(), query -> query.startTimestamp().equals(GAP_END) ? moveOnAndLose() : null);
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A100", "B110");
        assertThat(fixture.stored("p").gaps())
                .containsExactly(new PartitionGap(START, GAP_END), new PartitionGap(GAP_END, at(61)));
        assertThat(fixture.stored("x").startTimestamp()).isEqualTo(at(61));
    }

    @Test
    void a_search_that_hangs_holds_up_no_shutdown() throws InterruptedException {
        scriptExpired(source);
        source.fault(PartitionToken.ROOT.value(), new Fault.None(), new Fault.None(), new Fault.Stall(1));
        Subscriber subscriber = accepting(at(200));
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, new RecordingConsumer());
        Polling.await(
                () -> source.queriesOf(PartitionToken.ROOT.value()).size() == 3 && source.openCursors() == 1,
                source::queries);

        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
        assertThat(fixture.stored("p").watermark()).isEqualTo(GAP_END);
        assertThat(fixture.stored("p").owner()).isEmpty();
    }

    @Test
    void a_partition_that_ended_before_the_retention_period_is_expired_in_whatever_words_the_server_says_so()
            throws InterruptedException {
        scriptExpired(source);
        source.refuse("p", query -> {
            if (query.startTimestamp().isAfter(at(20))) {
                return outside(at(20));
            }
            return new SourceException(SourceException.Kind.RETENTION_LOST, "too far in the past", null);
        });
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A100", "B110");
        assertThat(fixture.stored("p").gaps()).containsExactly(new PartitionGap(START, GAP_END));
    }

    @Test
    void a_crash_at_any_step_of_the_replacement_and_a_restart_at_the_same_or_a_later_time_lose_nothing_more()
            throws InterruptedException {
        for (Verdict verdict : List.of(Verdict.FAIL_BEFORE, Verdict.FAIL_AFTER)) {
            for (Duration later : List.of(Duration.ZERO, Duration.ofSeconds(10))) {
                int crashes = 0;
                while (crashAndRestart(crashes + 1, verdict, later)) {
                    crashes++;
                }
                assertThat(crashes).as("%s, %s later", verdict, later).isGreaterThan(10);
            }
        }
    }

    @Test
    void a_partition_that_another_worker_replaced_and_removed_meanwhile_is_left_to_it() throws InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(START);
        fixture.storage = new InMemoryPartitionStorage(() -> requireNonNull(now.get()));
        scriptExpired(source);
        source.fault(
                PartitionToken.ROOT.value(),
                new Fault.None(),
                new Fault.None(),
                new Fault.Break(1, SourceException.Kind.TRANSIENT));
        source.refuse("p", query -> {
            if (query.startTimestamp().equals(GAP_END)) {
                now.set(START.plus(LEASE_TIME).plusSeconds(1));
                WorkerId other = new WorkerId("other");
                PartitionLease taken = fixture.storage
                        .acquire(other, List.of(PartitionClaim.of(fixture.stored("p"))), LEASE_TIME)
                        .getFirst();
                fixture.storage.finish(
                        taken, GAP_END, new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, GAP_END, List.of()));
                fixture.storage.cleanUp(requireNonNull(now.get()).plusSeconds(1));
            }
            return expired();
        });
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(fixture.storage.lineage().partition(token("p"))).isEmpty();
        assertThat(source.queriesOf("p"))
                .as("after the first, at the gap's end")
                .hasSize(2);
    }

    /** Returns whether the first run made that many calls to the storage, and so crashed. */
    private static boolean crashAndRestart(int failing, Verdict verdict, Duration later) throws InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(START);
        PartitionStorage surviving = new InMemoryPartitionStorage(() -> requireNonNull(now.get()));
        List<String> delivered = new ArrayList<>();
        FaultyStorage crashing =
                new FaultyStorage(surviving, false, (call, method) -> call >= failing ? verdict : Verdict.PASS);
        boolean crashed = false;
        try {
            run(crashing.storage(), Duration.ZERO, delivered);
        } catch (RuntimeException e) {
            crashed = true;
        }
        if (crashed) {
            now.set(START.plus(LEASE_TIME).plusSeconds(1));
            run(surviving, later, delivered);
        }
        String situation = "%s at call %d, restarted %s later".formatted(verdict, failing, later);
        assertThat(new LinkedHashSet<>(delivered)).as(situation).containsExactlyInAnyOrder("A100", "B110");
        assertThat(surviving.lineage().partition(token("p")).orElseThrow().gaps())
                .as(situation)
                .hasSize(1);
        return crashed;
    }

    private static void run(PartitionStorage storage, Duration later, List<String> delivered)
            throws InterruptedException {
        SubscriberFixture fixture = new SubscriberFixture();
        scriptExpired(fixture.source);
        fixture.source.serverTime(at(50).plus(RETENTION).plus(later));
        fixture.storage = storage;
        RecordingConsumer consumer = new RecordingConsumer();
        try {
            fixture.run(
                    Subscriber.builder(fixture.source, storage)
                            .options(options(at(200)).leaseTime(LEASE_TIME).build())
                            .build(),
                    consumer);
        } finally {
            delivered.addAll(consumer.labels());
        }
    }

    private static void scriptExpired(ScriptedSource source) {
        source.roots("p")
                .refuse("p", query -> expired())
                .livingLater("x", "y")
                .change("x", 100, "A")
                .change("y", 110, "B")
                .retention(RETENTION)
                .serverTime(at(50).plus(RETENTION));
    }

    private static SourceException expired() {
        return new SourceException(SourceException.Kind.PARTITION_EXPIRED, "this partition is no longer valid", null);
    }

    private static SourceException outside(Instant validUntil) {
        return new SourceException(
                SourceException.Kind.OUTSIDE_PARTITION, "invalid for the partition", null, validUntil);
    }

    private SourceException moveOnAndLose() {
        source.serverTime(at(60).plus(RETENTION));
        return new SourceException(SourceException.Kind.RETENTION_LOST, "too far in the past", null);
    }

    private Subscriber accepting(Instant end) {
        return Subscriber.builder(source, fixture.storage)
                .options(options(end).build())
                .build();
    }

    private static SubscriberOptions.Builder options(Instant end) {
        return SubscriberFixture.quick().endAt(end).retentionLoss(RetentionLoss.ACCEPT_GAP);
    }

    private static PartitionToken token(String value) {
        return new PartitionToken(value);
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A partition that is partly older than the stream's retention period: stopping, or continuing behind the gap. */
class RetentionLossTest {
    private static final Duration RETENTION = Duration.ofSeconds(1_000);
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final List<PartitionGap> told = new ArrayList<>(); // written by the one reader that reports gaps

    @Test
    void a_loss_stops_the_subscription_and_the_message_says_what_remains_and_what_to_do() {
        source.roots("p").change("p", 1, "A").change("p", 3, "A").retention(RETENTION);
        losing("p", at(2));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(), consumer))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("changes from " + START + " on are lost")
                .hasMessageContaining("no change was skipped")
                .hasMessageContaining("the watermark stays at " + START)
                .hasMessageContaining("ACCEPT_GAP");

        assertThat(consumer.labels()).isEmpty();
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
        assertThat(fixture.stored("p").gaps()).isEmpty();
        assertThat(fixture.stored("p").owner()).isEmpty();
    }

    @Test
    void a_start_that_the_stream_does_not_reach_back_to_is_told_from_a_loss() {
        source.roots("p").retention(RETENTION);
        losing(PartitionToken.ROOT.value(), at(2));

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("cannot start at " + START)
                .hasMessageContaining("before the stream was created")
                .hasMessageContaining("nothing was read or stored")
                .hasMessageContaining("at a later time");
    }

    /** Only the lost records of p name q. */
    @Test
    void partitions_that_started_in_the_gap_are_read_from_its_end() throws InterruptedException {
        scriptStartedInGap();
        source.retention(RETENTION).serverTime(at(50).plus(RETENTION));
        source.fault(PartitionToken.ROOT.value(), new Fault.None(), new Fault.None(), new Fault.EndWithOk(0));
        losing("p", at(50));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A100", "B110");
        assertThat(fixture.stored("q").startTimestamp()).isEqualTo(at(50).plus(MARGIN));
        assertThat(fixture.stored("q").parentTokens()).isEmpty();
    }

    @Test
    void partitions_that_started_in_a_gap_that_an_operator_added_are_read_from_its_end() throws InterruptedException {
        scriptStartedInGap();
        source.serverTime(at(2)).fault("p", new Fault.Stall(0));
        Subscriber first = fixture.subscriber(options -> options.endAt(at(200)));
        CompletableFuture<CompletionReason> run = fixture.start(first, new RecordingConsumer());
        Polling.await(() -> source.queriesOf("p").size() == 1, source::queries);
        first.shutdown(SubscriberFixture.BOUND);
        SubscriberFixture.get(run);
        assertThat(fixture.storage.lineage().partition(new PartitionToken("q"))).isEmpty();
        assertThat(fixture.storage.correct(
                        new Correction.AddGap(new PartitionGap(START, at(50)), Set.of()),
                        new CorrectionAct("ann", "a bulk load")))
                .isInstanceOf(CorrectionOutcome.Planned.class);
        source.serverTime(at(3600));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(fixture.subscriber(options -> options.endAt(at(200))), consumer))
                .isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactlyInAnyOrder("A100", "B110");
        assertThat(fixture.stored("q").startTimestamp()).isEqualTo(at(50));
    }

    @Test
    void one_initial_query_finds_what_started_in_a_gap_of_many_partitions() throws InterruptedException {
        String[] partitions =
                IntStream.range(0, 30).mapToObj(number -> "p" + number).toArray(String[]::new);
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .start("Parent0", 0, partitions)
                .end("Parent0");
        source.start("p0", 10, "q")
                .change("q", 110, "B")
                .livingLater(
                        Stream.concat(Arrays.stream(partitions), Stream.of("q")).toArray(String[]::new));
        source.serverTime(at(2));
        for (String partition : partitions) {
            source.fault(partition, new Fault.Stall(0));
        }
        Subscriber first = fixture.subscriber(options -> options.endAt(at(200)));
        CompletableFuture<CompletionReason> run = fixture.start(first, new RecordingConsumer());
        Polling.await(
                () -> Arrays.stream(partitions)
                        .noneMatch(partition -> source.queriesOf(partition).isEmpty()),
                source::queries);
        first.shutdown(SubscriberFixture.BOUND);
        SubscriberFixture.get(run);
        fixture.storage.correct(
                new Correction.AddGap(new PartitionGap(START, at(50)), Set.of()),
                new CorrectionAct("ann", "a bulk load"));
        source.serverTime(at(3600));
        int before = source.queriesOf(PartitionToken.ROOT.value()).size();
        AtomicInteger added = new AtomicInteger();
        fixture.storage = new FaultyStorage(fixture.storage, true, (call, method) -> {
                    if (method.equals("addChildren")) {
                        added.incrementAndGet();
                    }
                    return FaultyStorage.Verdict.PASS;
                })
                .storage();
        RecordingConsumer consumer = new RecordingConsumer();

        fixture.run(fixture.subscriber(options -> options.endAt(at(200))), consumer);

        assertThat(consumer.labels()).containsExactly("B110");
        assertThat(source.queriesOf(PartitionToken.ROOT.value()))
                .hasSizeBetween(before + 1, before + 3); // a loaded machine may break one
        assertThat(added).hasValue(1);
    }

    /** A partition p with mutable key ranges, from which q starts at second 10. */
    private void scriptStartedInGap() {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .start("Parent0", 0, "p")
                .end("Parent0");
        source.start("p", 10, "q").change("p", 100, "A").change("q", 110, "B").livingLater("p", "q");
    }

    @Test
    void an_accepted_loss_is_a_stored_gap_and_reading_continues_at_its_end() throws InterruptedException {
        source.roots("p").change("p", 1, "A").change("p", 100, "A").retention(RETENTION);
        source.serverTime(at(50).plus(RETENTION));
        losing("p", at(50));
        RecordingConsumer consumer = new RecordingConsumer();

        CompletionReason result = fixture.run(accepting(at(200)), consumer);

        assertThat(result).isEqualTo(CompletionReason.COMPLETED);
        PartitionGap gap = new PartitionGap(START, at(50).plus(MARGIN));
        assertThat(consumer.labels()).containsExactly("A100");
        assertThat(fixture.stored("p").gaps()).containsExactly(gap);
        assertThat(told).containsExactly(gap);
        assertThat(source.queriesOf("p").get(1).startTimestamp()).isEqualTo(gap.to());
    }

    @Test
    void changes_in_flight_settle_before_the_gap_is_stored_and_it_starts_after_them() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            started.countDown();
            SubscriberFixture.await(release);
        });
        source.roots("p").change("p", 1, "A").change("p", 2, "A").change("p", 100, "A");
        source.retention(RETENTION).serverTime(at(50).plus(RETENTION));
        source.fault("p", new Fault.Break(2, SourceException.Kind.RETENTION_LOST));
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(options(at(200)).maxInflight(4).build())
                .build();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        SubscriberFixture.await(started);
        Polling.await(() -> source.openCursors() == 0, source::openCursors);
        assertThat(fixture.stored("p").gaps()).isEmpty();

        release.countDown();

        SubscriberFixture.get(run);
        assertThat(consumer.labels()).containsExactly("A1", "A2", "A100");
        assertThat(fixture.stored("p").gaps()).containsExactly(new PartitionGap(at(2), at(50).plus(MARGIN)));
    }

    @Test
    void a_loss_of_unknown_size_stops_the_subscription_although_losses_are_accepted() {
        source.roots("p").change("p", 1, "A");
        losing("p", at(50));

        assertThatThrownBy(() -> fixture.run(accepting(at(200)), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("whose length the server does not report")
                .hasMessageContaining("retention_period");

        assertThat(fixture.stored("p").gaps()).isEmpty();
        assertThat(fixture.stored("p").watermark()).isEqualTo(START);
    }

    @Test
    void a_stream_that_was_created_after_the_start_stops_the_subscription_instead_of_passing_over_its_absence() {
        source.roots("p").retention(RETENTION).serverTime(at(500));
        losing(PartitionToken.ROOT.value(), at(400));

        assertThatThrownBy(() -> fixture.run(accepting(at(900)), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("may have been created later");

        assertThat(fixture.storage.subscription()).isEmpty();
    }

    @Test
    void
            a_stream_that_was_created_within_the_retention_period_of_a_start_before_it_is_refused_at_the_end_of_the_gap_too() {
        source.roots("p").retention(RETENTION).serverTime(at(50).plus(RETENTION));
        losing(PartitionToken.ROOT.value(), at(400));

        assertThatThrownBy(() -> fixture.run(accepting(at(900)), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("may have been created later");

        assertThat(fixture.storage.subscription()).isEmpty();
    }

    @Test
    void a_bounded_subscription_that_ends_inside_the_gap_is_finished_with_the_loss_as_its_proof()
            throws InterruptedException {
        source.roots("p").change("p", 1, "A").retention(RETENTION);
        source.serverTime(at(50).plus(RETENTION));
        losing("p", at(50));

        CompletionReason result = fixture.run(accepting(at(40)), new RecordingConsumer());

        assertThat(result).isEqualTo(CompletionReason.COMPLETED);
        assertThat(fixture.state("p")).isEqualTo(PartitionState.FINISHED);
        assertThat(fixture.stored("p").endProof())
                .hasValueSatisfying(proof -> assertThat(proof.kind().name()).isEqualTo("RETENTION_LOST"));
        assertThat(source.queriesOf("p"))
                .as("a start behind the end is no query")
                .hasSize(1);
    }

    @Test
    void a_server_that_blinks_while_it_is_asked_for_the_beginning_stops_nothing() throws InterruptedException {
        source.roots("p").change("p", 100, "A").retention(RETENTION);
        source.serverTime(at(50).plus(RETENTION)).failServerTime(1);
        losing("p", at(50));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(accepting(at(200)), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("A100");
        assertThat(fixture.stored("p").gaps()).hasSize(1);
    }

    @Test
    void an_unknown_failure_stops_the_subscription_and_finishes_nothing() {
        source.roots("p").fault("p", new Fault.Break(0, SourceException.Kind.FATAL));

        assertThatThrownBy(() -> fixture.run(accepting(at(200)), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("cannot be read any further");

        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
    }

    private Subscriber accepting(Instant end) {
        return Subscriber.builder(source, fixture.storage)
                .options(options(end).build())
                .build();
    }

    private SubscriberOptions.Builder options(Instant end) {
        return SubscriberFixture.quick()
                .endAt(end)
                .retentionLoss(RetentionLoss.ACCEPT_GAP)
                .listener(new SubscriptionListener() {
                    @Override
                    public void gapAccepted(PartitionToken partition, PartitionGap gap) {
                        told.add(gap);
                    }
                });
    }

    /** Queries of the partition that start before that are refused. */
    private void losing(String partition, Instant before) {
        source.refuse(partition, query -> lost(query, before));
    }

    private static @Nullable SourceException lost(PartitionQuery query, Instant before) {
        return query.startTimestamp().isBefore(before)
                ? new SourceException(SourceException.Kind.RETENTION_LOST, "too far in the past", null)
                : null;
    }
}

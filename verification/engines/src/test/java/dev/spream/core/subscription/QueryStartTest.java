package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Starts that the server refuses: behind the end of the partition, or in the future. */
class QueryStartTest {
    private static final Duration AHEAD = Duration.ofMinutes(1);
    private static final Duration STEP = Duration.ofMillis(100);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;

    @Test
    void a_position_behind_the_partitions_end_is_read_again_from_there_and_its_children_are_not_lost()
            throws InterruptedException {
        scriptPositionBehindEnd(at(3));
        RecordingConsumer consumer = new RecordingConsumer();

        assertThat(fixture.run(fixture.subscriber(options -> options.endAt(at(10))), consumer))
                .isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumer.labels()).containsExactly("A1", "A5");
        assertThat(source.queriesOf("p"))
                .extracting(PartitionQuery::startTimestamp)
                .containsExactly(START, at(4), at(3));
        assertThat(fixture.stored("p").endProof())
                .contains(PartitionEnd.childPartitions(at(3), List.of(new PartitionToken("c"))));
    }

    @Test
    void a_position_behind_an_end_that_the_server_does_not_name_stops_the_subscription_and_finishes_nothing() {
        scriptPositionBehindEnd(null);

        assertThatThrownBy(() ->
                        fixture.run(fixture.subscriber(options -> options.endAt(at(10))), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("cannot be read any further");

        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
    }

    @Test
    void a_position_before_the_partitions_life_stops_the_subscription() {
        source.roots("p").refuse("p", query -> outside(at(3)));

        assertThatThrownBy(() ->
                        fixture.run(fixture.subscriber(options -> options.endAt(at(10))), new RecordingConsumer()))
                .isInstanceOf(SubscriptionException.class);

        assertThat(fixture.state("p")).isEqualTo(PartitionState.RUNNING);
    }

    @Test
    void a_start_in_the_future_waits_for_the_servers_time() throws InterruptedException {
        DrivenTime time = new DrivenTime(START);
        String root = PartitionToken.ROOT.value();
        source.roots("p")
                .change("p", 1, "A")
                .serverTime(START.minus(AHEAD))
                .fault(root, new Fault.Break(0, SourceException.Kind.START_IN_FUTURE));
        RecordingConsumer consumer = new RecordingConsumer();
        Subscriber subscriber = Subscriber.builder(source, fixture.storage)
                .options(SubscriberFixture.quick()
                        .leaseTime(AHEAD.multipliedBy(60))
                        .build())
                .time(time)
                .build();
        CompletableFuture<CompletionReason> run = fixture.start(subscriber, consumer);
        Polling.await(() -> !source.queriesOf(root).isEmpty(), source::queries);
        advanceUntil(time, () -> source.serverTimeAnswers() > 0); // the wait that follows any failure is over
        assertThat(source.queriesOf(root)).hasSize(1);

        source.serverTime(START.plusSeconds(1));

        advanceUntil(time, () -> consumer.labels().contains("A1"));
        assertThat(subscriber.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
    }

    private void advanceUntil(DrivenTime time, BooleanSupplier condition) {
        Polling.await(
                () -> {
                    time.advance(STEP);
                    return condition.getAsBoolean();
                },
                source::queries);
    }

    /** A reader before this one, or a heartbeat of another mind, has moved the position past the end. */
    private void scriptPositionBehindEnd(@Nullable Instant validUntil) {
        source.roots("p")
                .change("p", 1, "A")
                .heartbeat("p", 4)
                .fault("p", new Fault.Break(2, SourceException.Kind.TRANSIENT))
                .refuse("p", query -> query.startTimestamp().isAfter(at(3)) ? outside(validUntil) : null)
                .add("p", childRecord())
                .end("p")
                .change("c", 5, "A");
    }

    private static ChildPartitionsRecord childRecord() {
        return new ChildPartitionsRecord(at(3), "0", List.of(ScriptedSource.child("c", "p")));
    }

    private static SourceException outside(@Nullable Instant validUntil) {
        return new SourceException(
                SourceException.Kind.OUTSIDE_PARTITION, "invalid for the partition", null, validUntil);
    }
}

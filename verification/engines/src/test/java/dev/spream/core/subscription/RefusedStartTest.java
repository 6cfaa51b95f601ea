package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.testkit.subscription.ScriptedSource.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A start that the server refuses at the first query leaves nothing behind: the next run may start elsewhere. */
class RefusedStartTest {
    private static final String ROOT = PartitionToken.ROOT.value();
    private static final Instant REFUSED = START.minusSeconds(1);

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source =
            fixture.source.roots("p").change("p", 1, "A").change("p", 2, "A");
    private final RecordingConsumer consumer = new RecordingConsumer();

    @ParameterizedTest
    @EnumSource(
            value = SourceException.Kind.class,
            names = {
                "RETENTION_LOST",
                "PARTITION_EXPIRED",
                "OUTSIDE_PARTITION",
                "NOT_FOUND",
                "PERMISSION_DENIED",
                "FATAL"
            })
    void a_refused_start_says_what_to_do_and_the_next_run_may_start_elsewhere(SourceException.Kind kind)
            throws InterruptedException {
        refuse(kind);

        assertThatThrownBy(() -> fixture.run(startingAt(REFUSED), consumer))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("cannot start at " + REFUSED)
                .hasMessageContaining("nothing was read or stored. ");
        assertThat(fixture.storage.subscription()).isEmpty();
        assertThat(fixture.storage.lineage().partitions()).isEmpty();

        assertThat(fixture.run(startingAt(START), consumer)).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumer.labels()).containsExactly("A1", "A2");
    }

    @Test
    void the_time_of_the_first_run_is_not_kept_either_when_it_is_refused() throws InterruptedException {
        source.serverTime(REFUSED);
        refuse(SourceException.Kind.RETENTION_LOST);
        Subscriber now = Subscriber.builder(source, fixture.storage)
                .options(SubscriberOptions.builder().endAt(at(9)).build())
                .build();

        assertThatThrownBy(() -> fixture.run(now, consumer)).hasMessageContaining("cannot start at " + REFUSED);

        source.serverTime(at(99));
        assertThat(fixture.run(startingAt(START), consumer)).isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void a_worker_that_opened_before_a_correction_stops_when_it_registers_after_it() throws InterruptedException {
        PartitionStorage stored = fixture.storage;
        fixture.storage = new FaultyStorage(stored, false, (call, method) -> {
                    if (method.equals("registerWorker")) {
                        stored.correct(
                                new Correction.MoveEnd(Optional.of(at(8))), new CorrectionAct("ann", "earlier end"));
                    }
                    return FaultyStorage.Verdict.PASS;
                })
                .storage();

        assertThatThrownBy(() -> fixture.run(startingAt(START), consumer))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("was corrected while this worker was not registered");
        assertThat(consumer.labels()).isEmpty();
    }

    @Test
    void workers_that_start_at_once_leave_what_was_accepted_for_one_of_them() throws InterruptedException {
        refuse(SourceException.Kind.RETENTION_LOST);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<CompletionReason> refused = fixture.start(startingAt(REFUSED), consumer);
            CompletableFuture<CompletionReason> other = fixture.start(startingAt(REFUSED), consumer);
            CompletableFuture<CompletionReason> accepted = fixture.start(startingAt(START), consumer);
            assertThat(SubscriberFixture.get(accepted)).isEqualTo(CompletionReason.COMPLETED);
            assertThatThrownBy(() -> SubscriberFixture.get(refused)).isInstanceOf(SubscriptionException.class);
            assertThatThrownBy(() -> SubscriberFixture.get(other)).isInstanceOf(SubscriptionException.class);
        }
        assertThat(fixture.storage.subscription().orElseThrow().startTimestamp())
                .isEqualTo(START);
        assertThat(consumer.labels()).containsExactly("A1", "A2");
    }

    @Test
    void a_subscription_that_is_stored_is_not_asked_for_again() throws InterruptedException {
        assertThat(fixture.run(startingAt(START), consumer)).isEqualTo(CompletionReason.COMPLETED);
        int asked = source.queries().size();
        refuse(SourceException.Kind.RETENTION_LOST);

        assertThatThrownBy(() -> fixture.run(startingAt(REFUSED), consumer))
                .hasMessageContaining("start is %s, requested is %s", START, REFUSED);
        assertThat(fixture.run(startingAt(START), consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(source.queries()).hasSize(asked);
        assertThat(fixture.stored("p").isFinished()).isTrue();
    }

    @Test
    void a_range_for_the_first_run_alone_gives_way_to_the_stored_one() throws InterruptedException {
        assertThat(fixture.run(startingAt(START), consumer)).isEqualTo(CompletionReason.COMPLETED);
        Subscriber later = fixture.subscriber(
                options -> options.startAt(at(3)).endAt(at(8)).storedRange(true));

        assertThat(fixture.run(later, consumer)).isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void a_start_in_the_future_is_stored_when_the_servers_time_has_reached_it() throws InterruptedException {
        source.serverTime(REFUSED);
        source.refuse(
                ROOT,
                query -> source.serverTime().isBefore(query.startTimestamp())
                        ? new SourceException(SourceException.Kind.START_IN_FUTURE, "too early", null)
                        : null);
        List<Instant> told = new CopyOnWriteArrayList<>();
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void waitingForStart(Instant start) {
                told.add(start);
            }
        };
        Subscriber waiting = fixture.subscriber(
                options -> options.startAt(at(1)).endAt(at(9)).listener(listener));
        CompletableFuture<CompletionReason> run = fixture.start(waiting, consumer);
        Polling.await(() -> source.serverTimeAnswers() > 1, source::queries);
        assertThat(waiting.shutdown(SubscriberFixture.BOUND)).isTrue();
        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(fixture.storage.subscription()).isEmpty();
        assertThat(told).containsExactly(at(1));

        source.serverTime(at(99));
        assertThat(fixture.run(startingAt(START), consumer)).isEqualTo(CompletionReason.COMPLETED);
    }

    @Test
    void a_server_that_went_away_before_a_start_in_the_future_is_said_to_answer_again() throws InterruptedException {
        SourceException away = new SourceException(SourceException.Kind.TRANSIENT, "away", null);
        SourceException future = new SourceException(SourceException.Kind.START_IN_FUTURE, "too early", null);
        Queue<SourceException> answers =
                new ConcurrentLinkedQueue<>(List.of(away, away, future, away, away, future, future));
        source.refuse(ROOT, query -> answers.poll());
        List<String> told = new CopyOnWriteArrayList<>();
        Subscriber waiting = fixture.subscriber(options -> options.startAt(START)
                .endAt(at(9))
                .listener(new SubscriptionListener() {
                    @Override
                    public void reconnecting(
                            PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
                        told.add("attempt " + attempt);
                    }

                    @Override
                    public void reconnected(PartitionToken partition) {
                        told.add("answered");
                    }

                    @Override
                    public void waitingForStart(Instant start) {
                        told.add("waiting");
                    }
                }));

        assertThat(fixture.run(waiting, consumer)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(told)
                .containsExactly("attempt 1", "attempt 2", "answered", "waiting", "attempt 1", "attempt 2", "answered");
    }

    @Test
    void a_first_query_that_breaks_is_asked_again_and_one_that_hangs_holds_up_no_shutdown()
            throws InterruptedException {
        source.fault(ROOT, new Fault.Break(0, SourceException.Kind.TRANSIENT), new Fault.Stall(0));
        Subscriber hanging = startingAt(START);
        CompletableFuture<CompletionReason> run = fixture.start(hanging, consumer);
        Polling.await(() -> source.queriesOf(ROOT).size() == 2 && source.openCursors() == 1, source::queries);

        assertThat(hanging.shutdown(SubscriberFixture.BOUND)).isTrue();

        assertThat(SubscriberFixture.get(run)).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(fixture.storage.subscription()).isEmpty();
    }

    private Subscriber startingAt(Instant start) {
        return fixture.subscriber(options -> options.startAt(start).endAt(at(9)));
    }

    private void refuse(SourceException.Kind kind) {
        source.refuse(
                ROOT,
                query -> query.startTimestamp().equals(REFUSED) ? new SourceException(kind, "refused", null) : null);
    }
}

package dev.spream.sinks;

import static dev.spream.testkit.consume.Changes.key;
import static dev.spream.testkit.consume.DeadLetterSinkContract.identity;
import static dev.spream.testkit.consume.DeadLetters.behind;
import static dev.spream.testkit.consume.DeadLetters.failed;
import static dev.spream.testkit.consume.DeadLetters.parked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Dead letters go back in commit order, and keys are released behind the last of them. */
final class DeadLetterReplayTest {
    private final JsonlFixture fixture = new JsonlFixture();
    private final List<String> taken = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    @Test
    void the_letters_of_a_parked_key_are_taken_in_commit_order_and_the_key_is_released() throws Exception {
        accept(parked(Changes.of(5, "A")), behind(Changes.of(6, "A")), behind(Changes.of(4, "A")));

        ReplayResult result = replay().all();

        assertThat(taken).containsExactly("A4", "A5", "A6");
        assertThat(result.replayed()).isEqualTo(3);
        assertThat(result.released()).containsExactly(key("A"));
        assertThat(result.isComplete()).isTrue();
        fixture.restart();
        assertThat(fixture.sink().parkedKeys()).isEmpty();
        assertThat(fixture.sink().openLetters()).isEmpty();
    }

    @Test
    void a_letter_that_is_refused_again_keeps_what_follows_it_and_lets_other_keys_go() throws Exception {
        IOException still = new IOException("still unreachable");
        accept(
                parked(Changes.of(1, "A")),
                parked(Changes.of(2, "B")),
                behind(Changes.of(3, "A", "C")),
                behind(Changes.of(4, "C")),
                behind(Changes.of(5, "B")));

        ReplayResult result =
                DeadLetterReplay.of(fixture.sink(), refusing(1, still)).all();

        assertThat(taken).containsExactly("B2", "B5");
        assertThat(result.refused()).containsExactly(new ReplayResult.Refusal(identity(1), still));
        assertThat(result.left()).isEqualTo(2);
        assertThat(result.released()).containsExactly(key("B"));
        assertThat(result.isComplete()).isFalse();
        assertThat(fixture.sink().parkedKeys()).containsExactlyInAnyOrder(key("A"), key("C"));

        assertThat(replay().all().isComplete()).isTrue();
        assertThat(taken).containsExactly("B2", "B5", "A1", "A3", "C4");
        assertThat(fixture.sink().parkedKeys()).isEmpty();
    }

    @Test
    void one_key_is_replayed_with_those_that_changes_of_several_keys_tie_to_it() throws Exception {
        accept(
                parked(Changes.of(1, "C")),
                parked(Changes.of(2, "A")),
                behind(Changes.of(3, "B", "C")),
                parked(Changes.of(4, "D")),
                behind(Changes.of(5, "A", "B")));

        ReplayResult result = replay().key(key("A"));

        assertThat(taken).containsExactly("C1", "A2", "B3", "A5");
        assertThat(result.released()).containsExactlyInAnyOrder(key("A"), key("B"), key("C"));
        assertThat(fixture.sink().parkedKeys()).containsExactly(key("D"));
    }

    @Test
    void one_letter_is_replayed_if_it_is_the_first_of_its_keys() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")), parked(Changes.of(3, "B")));

        assertThat(replay().letter(identity(2)).left()).isEqualTo(1);
        assertThat(replay().letter(identity(1)).released()).isEmpty();
        assertThat(replay().letter(identity(2)).released()).containsExactly(key("A"));
        assertThat(replay().letter(identity(9)).isComplete()).isTrue();

        assertThat(taken).containsExactly("A1", "A2");
        assertThat(fixture.sink().parkedKeys()).containsExactly(key("B"));
    }

    @Test
    void chosen_letters_are_replayed_in_commit_order_and_the_others_stay_open() throws Exception {
        accept(
                parked(Changes.of(1, "A")),
                behind(Changes.of(2, "A")),
                parked(Changes.of(3, "B")),
                behind(Changes.of(4, "B")),
                parked(Changes.of(5, "C")));

        ReplayResult result = replay().letters(Set.of(identity(5), identity(4), identity(2), identity(1), identity(9)));

        assertThat(taken).containsExactly("A1", "A2", "C5");
        assertThat(result.replayed()).isEqualTo(3);
        assertThat(result.left()).as("3 is before 4").isEqualTo(1);
        assertThat(result.released()).containsExactlyInAnyOrder(key("A"), key("C"));
        assertThat(fixture.sink().openLetters()).hasSize(2);
    }

    @Test
    void letters_parked_during_a_replay_are_replayed_before_the_key_is_released() throws Exception {
        accept(parked(Changes.of(1, "A")));
        Consumer consumer = recording(change -> {
            long second = second(change);
            if (second < 4) {
                assertThat(fixture.sink().acceptIfParked(behind(Changes.of(second + 1, "A"))))
                        .isTrue();
            }
        });

        ReplayResult result = DeadLetterReplay.of(fixture.sink(), consumer).all();

        assertThat(taken).containsExactly("A1", "A2", "A3", "A4");
        assertThat(result.released()).containsExactly(key("A"));
        assertThat(result.isComplete()).isTrue();
        assertThat(fixture.sink().acceptIfParked(behind(Changes.of(5, "A")))).isFalse();
    }

    @Test
    void a_key_whose_letters_were_discarded_is_released() throws Exception {
        accept(parked(Changes.of(1, "A")));
        fixture.sink().discard(identity(1));

        assertThat(replay().key(key("A")).released()).containsExactly(key("A"));
        assertThat(taken).isEmpty();
        assertThat(fixture.sink().parkedKeys()).isEmpty();
    }

    @Test
    void a_letter_whose_key_has_moved_on_is_refused_unless_told_otherwise() throws Exception {
        accept(failed(Changes.of(1, "A")), failed(Changes.of(2, "B")));
        fixture.sink().delivering(Changes.of(3, "A"));
        fixture.restart();

        ReplayResult result = replay().all();

        assertThat(taken).containsExactly("B2");
        assertThat(result.overtaken()).containsExactly(identity(1));
        assertThat(result.isComplete()).isFalse();

        assertThat(replay().evenIfOvertaken().all().isComplete()).isTrue();
        assertThat(taken).containsExactly("B2", "A1");
    }

    @Test
    void letters_of_a_key_that_failed_one_after_the_other_are_replayed_in_order() throws Exception {
        for (int second = 1; second <= 3; second++) {
            fixture.sink().delivering(Changes.of(second, "A"));
            accept(failed(Changes.of(second, "A")));
        }

        assertThat(replay().all().isComplete()).isTrue();
        assertThat(taken).containsExactly("A1", "A2", "A3");
    }

    @Test
    void a_suffix_that_comes_again_behind_a_replayed_letter_is_replayed_as_a_suffix() throws Exception {
        accept(parked(Changes.of(5, "A")));
        replay().letter(identity(5));
        accept(parked(Changes.of(9, "A")));
        for (int second = 3; second <= 6; second++) {
            assertThat(fixture.sink().acceptIfParked(behind(Changes.of(second, "A"))))
                    .isTrue();
        }

        assertThat(replay().all().isComplete()).isTrue();
        assertThat(taken).containsExactly("A5", "A3", "A4", "A5", "A6", "A9");
    }

    @Test
    void a_letter_counts_as_replayed_when_the_consumer_has_flushed() throws Exception {
        accept(parked(Changes.of(1, "A")));
        Consumer consumer = new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) {
                taken.add(label(change));
            }

            @Override
            public void flush() throws IOException {
                throw new IOException("disk");
            }
        };

        ReplayResult result = DeadLetterReplay.of(fixture.sink(), consumer).all();

        assertThat(result.replayed()).isZero();
        assertThat(result.refused()).hasSize(1);
        assertThat(fixture.sink().openLetters()).hasSize(1);
        assertThat(fixture.sink().parkedKeys()).containsExactly(key("A"));
    }

    @Test
    void an_error_of_the_consumer_is_a_refusal_and_an_interrupt_ends_the_replay() throws Exception {
        accept(parked(Changes.of(1, "A")));
        StackOverflowError error = new StackOverflowError();
        assertThat(DeadLetterReplay.of(fixture.sink(), refusing(1, error)).all().refused())
                .containsExactly(new ReplayResult.Refusal(identity(1), error));

        DeadLetterReplay interrupted = DeadLetterReplay.of(fixture.sink(), refusing(1, new InterruptedException()));
        assertThatThrownBy(interrupted::all).isInstanceOf(InterruptedException.class);
        assertThat(replay().all().replayed()).isEqualTo(1);
    }

    @Test
    void a_replay_whose_store_fails_says_so_and_can_be_repeated() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")));
        DeadLetterStore failing = new ForwardingStore(fixture.sink()) {
            @Override
            public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
                if (identities.equals(List.of(identity(2)))) {
                    throw new IOException("disk");
                }
                return super.claim(List.of(identities.getFirst()), evenIfOvertaken);
            }
        };

        assertThatThrownBy(() ->
                        DeadLetterReplay.of(failing, recording(change -> {})).all())
                .isInstanceOf(DeadLetterException.class)
                .hasMessageContaining("replay again")
                .hasRootCauseMessage("disk");
        assertThat(taken).containsExactly("A1");

        assertThat(replay().all().released()).containsExactly(key("A"));
        assertThat(taken).containsExactly("A1", "A2");
    }

    @Test
    void keys_are_released_with_the_replay_of_their_last_letters_and_by_no_step_behind_it() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")), parked(Changes.of(3, "B")));
        AtomicInteger steps = new AtomicInteger();
        DeadLetterStore counting = new ForwardingStore(fixture.sink()) {
            @Override
            public boolean release(Set<RecordKey> keys) throws Exception {
                steps.incrementAndGet();
                return super.release(keys);
            }
        };

        ReplayResult result =
                DeadLetterReplay.of(counting, recording(change -> {})).all();

        assertThat(result.released()).containsExactlyInAnyOrder(key("A"), key("B"));
        assertThat(fixture.sink().parkedKeys()).isEmpty();
        assertThat(steps).as("steps that release").hasValue(0);
    }

    @Test
    void the_delivery_of_a_replay_counts_on_and_has_no_lease() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")));
        List<Delivery> deliveries = new ArrayList<>();

        DeadLetterReplay.of(fixture.sink(), (change, delivery) -> deliveries.add(delivery))
                .all();

        assertThat(deliveries)
                .containsExactly(
                        Delivery.ofReplay(DeadLetters.PARTITION, 4), Delivery.ofReplay(DeadLetters.PARTITION, 1));
    }

    @Test
    void a_letter_claimed_by_another_replay_is_left_with_later_ones_of_its_key() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")));
        try (DeadLetterStore.Claim claim =
                fixture.sink().claim(identity(1), false).orElseThrow()) {
            assertThat(claim.letter().change()).isEqualTo(Changes.of(1, "A"));
            ReplayResult result = replay().all();
            assertThat(result.left()).isEqualTo(2);
            assertThat(result.released()).isEqualTo(Set.of());
        }
        assertThat(taken).isEmpty();
    }

    @Test
    void many_letters_share_the_cost_of_a_flush_and_each_key_stays_in_order() throws Exception {
        int letters = 1_000;
        for (int second = 1; second <= letters; second++) {
            accept(second <= 4 ? parked(change(second)) : behind(change(second)));
        }
        AtomicInteger flushes = new AtomicInteger();
        Consumer consumer = new Consumer() {
            @Override
            public void consume(DataChangeRecord change, Delivery delivery) throws IOException {
                if (second(change) == 502) {
                    throw new IOException("still broken");
                }
                taken.add(label(change));
            }

            @Override
            public void flush() {
                flushes.incrementAndGet();
            }
        };

        ReplayResult result = DeadLetterReplay.of(fixture.sink(), consumer).all();

        assertThat(flushes).as("flushes of batches of up to 500").hasValueLessThan(6);
        assertThat(result.refused()).extracting(ReplayResult.Refusal::identity).containsExactly(identity(502));
        assertThat(result.left()).isEqualTo(124);
        assertThat(result.replayed()).isEqualTo(letters - 125);
        assertThat(result.released()).containsExactlyInAnyOrder(key("A0"), key("A1"), key("A3"));
        assertThat(taken)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, letters)
                        .filter(second -> second % 4 != 2 || second < 502)
                        .mapToObj(second -> label(change(second)))
                        .toList());
        assertThat(fixture.sink().openLetters()).hasSize(125);
    }

    /** Of one of four keys. */
    private static DataChangeRecord change(int second) {
        return Changes.of(second, "A" + second % 4);
    }

    @Test
    void a_batch_consumer_gets_letters_together_and_says_which_it_refuses() throws Exception {
        accept(
                parked(Changes.of(1, "A")),
                parked(Changes.of(2, "B")),
                behind(Changes.of(3, "A", "C")),
                behind(Changes.of(4, "C")),
                behind(Changes.of(5, "B")));
        IOException still = new IOException("still unreachable");
        List<Integer> sizes = new ArrayList<>();
        BatchConsumer consumer = batch -> {
            sizes.add(batch.changes().size());
            for (int i = 0; i < batch.changes().size(); i++) {
                DataChangeRecord change = batch.changes().get(i);
                if (second(change) == 3) {
                    assertThat(batch.delivery(i)).isEqualTo(Delivery.ofReplay(DeadLetters.PARTITION, 1));
                    batch.fail(i, still);
                } else {
                    taken.add(label(change));
                }
            }
        };

        ReplayResult result = DeadLetterReplay.of(fixture.sink(), consumer).all();

        assertThat(sizes).containsExactly(5);
        assertThat(result.refused()).containsExactly(new ReplayResult.Refusal(identity(3), still));
        assertThat(result.left()).as("4, which follows 3").isEqualTo(1);
        assertThat(result.released()).containsExactly(key("B"));
        assertThat(fixture.sink().openLetters())
                .extracting(DeadLetterStore.Entry::identity)
                .containsExactly(identity(3), identity(4));
    }

    @Test
    void a_batch_that_fails_as_a_whole_is_handed_over_letter_by_letter() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")), parked(Changes.of(3, "B")));
        BatchConsumer consumer = batch -> {
            if (batch.changes().size() > 1) {
                batch.settle(0);
                taken.add(label(batch.changes().getFirst()));
                throw new IOException("one of these");
            }
            if (second(batch.changes().getFirst()) == 3) {
                throw new IOException("this one");
            }
            taken.add(label(batch.changes().getFirst()));
        };

        ReplayResult result = DeadLetterReplay.of(fixture.sink(), consumer).all();

        assertThat(taken).containsExactly("A1", "A2");
        assertThat(result.replayed()).isEqualTo(2);
        assertThat(result.refused()).extracting(ReplayResult.Refusal::identity).containsExactly(identity(3));
    }

    @Test
    void an_interrupt_in_the_middle_of_a_batch_resolves_what_was_taken_before() throws Exception {
        accept(parked(Changes.of(1, "A")), behind(Changes.of(2, "A")), behind(Changes.of(3, "A")));
        List<RecordIdentity> told = new ArrayList<>();
        DeadLetterReplay replay = DeadLetterReplay.of(fixture.sink(), refusing(2, new InterruptedException()))
                .onReplayed(told::add);

        assertThatThrownBy(replay::all).isInstanceOf(InterruptedException.class);

        assertThat(told).containsExactly(identity(1));
        assertThat(fixture.sink().openLetters())
                .extracting(DeadLetterStore.Entry::identity)
                .containsExactly(identity(2), identity(3));
    }

    @Test
    void a_consumer_that_restores_the_interrupt_ends_the_replay_and_its_letter_is_not_refused() throws Exception {
        accept(parked(Changes.of(1, "A")), parked(Changes.of(2, "B")), parked(Changes.of(3, "C")));
        List<RecordIdentity> told = new ArrayList<>();
        Consumer consumer = recording(change -> {
            if (second(change) == 2) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted");
            }
        });
        DeadLetterReplay replay = DeadLetterReplay.of(fixture.sink(), consumer).onReplayed(told::add);

        assertThatThrownBy(replay::all).isInstanceOf(InterruptedException.class);

        assertThat(told).containsExactly(identity(1));
        assertThat(taken).containsExactly("A1");
    }

    @Test
    void a_batch_consumer_that_restores_the_interrupt_ends_the_replay() throws Exception {
        accept(parked(Changes.of(1, "A")), parked(Changes.of(2, "B")));
        AtomicInteger calls = new AtomicInteger();
        BatchConsumer consumer = batch -> {
            calls.incrementAndGet();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
        };

        assertThatThrownBy(DeadLetterReplay.of(fixture.sink(), consumer)::all).isInstanceOf(InterruptedException.class);

        assertThat(calls).hasValue(1);
    }

    private void accept(DeadLetter... letters) throws Exception {
        for (DeadLetter letter : letters) {
            fixture.sink().accept(letter);
        }
    }

    private DeadLetterReplay replay() {
        return DeadLetterReplay.of(fixture.sink(), recording(change -> {}));
    }

    private Consumer refusing(long second, Throwable failure) {
        return recording(change -> {
            if (second(change) == second) {
                switch (failure) {
                    case Exception exception -> throw exception;
                    case Error error -> throw error;
                    case Throwable other -> throw new AssertionError(other);
                }
            }
        });
    }

    private Consumer recording(ChangeHandler before) {
        return (change, delivery) -> {
            before.consume(change);
            taken.add(label(change));
        };
    }

    private static String label(DataChangeRecord change) {
        return change.mods().getFirst().keys().string("Id").orElseThrow() + second(change);
    }

    private static long second(DataChangeRecord change) {
        return Duration.between(Changes.START, change.commitTimestamp()).toSeconds();
    }
}

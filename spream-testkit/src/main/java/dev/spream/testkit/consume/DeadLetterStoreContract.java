package dev.spream.testkit.consume;

import static dev.spream.testkit.consume.Changes.key;
import static dev.spream.testkit.consume.DeadLetters.behind;
import static dev.spream.testkit.consume.DeadLetters.failed;
import static dev.spream.testkit.consume.DeadLetters.parked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.RecordIdentity;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The contract of {@link DeadLetterStore} as tests. The fixture's sink must be a store. */
@SuppressWarnings("JUnitClassModifiers") // plug-in authors extend it elsewhere
public abstract class DeadLetterStoreContract extends DeadLetterSinkContract {
    private static final long BOUND_NANOS = 30_000_000_000L;

    private DeadLetterStore store() {
        return (DeadLetterStore) sink();
    }

    @Test
    public final void letters_are_listed_in_commit_order_whatever_the_order_they_came_in() throws Exception {
        sink().accept(parked(Changes.of(5, "A")));
        sink().accept(behind(Changes.of(6, "A", "B")));
        sink().accept(behind(Changes.of(4, "A")));
        sink().accept(failed(Changes.of(3, "C")));
        for (int round = 0; round < 2; round++) {
            assertThat(store().openLetters())
                    .containsExactly(
                            entry(3, DeadLetter.Reason.FAILED, "C"),
                            entry(4, DeadLetter.Reason.BEHIND_PARKED, "A"),
                            entry(5, DeadLetter.Reason.PARKED, "A"),
                            entry(6, DeadLetter.Reason.BEHIND_PARKED, "A", "B"));
            given().restart();
        }
    }

    @Test
    public final void the_newest_letters_are_listed_first_up_to_the_limit() throws Exception {
        assertThat(store().newestLetters(5)).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> store().newestLetters(0));
        sink().accept(parked(Changes.of(5, "A")));
        sink().accept(behind(Changes.of(6, "A", "B")));
        sink().accept(failed(Changes.of(3, "C")));
        sink().accept(failed(Changes.of(7, "D")));
        sink().accept(failed(Changes.of(9, "E")));
        store().delivering(Changes.of(8, "D"));
        replay(9);
        for (int round = 0; round < 2; round++) {
            assertThat(store().newestLetters(2))
                    .containsExactly(
                            new DeadLetterStore.Entry(
                                    identity(7), DeadLetter.Reason.FAILED, RecordKey.of(Changes.of(7, "D")), true),
                            entry(6, DeadLetter.Reason.BEHIND_PARKED, "A", "B"));
            assertThat(store().newestLetters(50))
                    .isEqualTo(store().openLetters().reversed());
            given().restart();
        }
    }

    @Test
    public final void the_counts_are_those_of_the_open_letters_and_the_parked_keys() throws Exception {
        assertThat(store().counts()).isEqualTo(new DeadLetterStore.Counts(0, 0, 0, 0, 0));
        sink().accept(failed(Changes.of(1, "C", "D")));
        sink().accept(failed(Changes.of(2, "C")));
        sink().accept(failed(Changes.of(3, "E")));
        sink().accept(failed(Changes.of(4, "F")));
        sink().accept(parked(Changes.of(5, "A")));
        sink().accept(parked(Changes.of(6, "G")));
        sink().accept(behind(Changes.of(7, "A", "B")));
        store().delivering(Changes.of(8, "C", "D"));
        store().delivering(Changes.of(9, "C"));
        replay(4);
        replay(6);
        for (int round = 0; round < 2; round++) {
            DeadLetterStore.Counts counts = store().counts();
            assertThat(counts).isEqualTo(new DeadLetterStore.Counts(3, 2, 1, 1, 3));
            assertThat(counts.letters()).isEqualTo(5);
            given().restart();
        }
    }

    @Test
    public final void a_letter_is_given_back_as_it_was_kept() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        sink().accept(behind(Changes.of(2, "A", "B")));
        given().restart();
        try (DeadLetterStore.Claim claim = claim(1)) {
            StoredDeadLetter letter = claim.letter();
            assertThat(letter.reason()).isEqualTo(DeadLetter.Reason.PARKED);
            assertThat(letter.partition()).isEqualTo(DeadLetters.PARTITION);
            assertThat(letter.change()).isEqualTo(Changes.of(1, "A"));
            assertThat(letter.at()).isEqualTo(DeadLetters.FAILED_AT);
            assertThat(letter.failure())
                    .contains(new StoredDeadLetter.Failure(
                            3,
                            DeadLetters.FAILED_AT.minusSeconds(60),
                            DeadLetters.FAILED_AT,
                            "java.io.IOException",
                            "unreachable"));
            claim.replayed();
        }
        try (DeadLetterStore.Claim claim = claim(2)) {
            assertThat(claim.letter().change()).isEqualTo(Changes.of(2, "A", "B"));
            assertThat(claim.letter().failure()).isEmpty();
        }
    }

    @Test
    public final void a_row_that_could_not_be_decoded_is_kept_as_it_came_and_not_replayed() throws Exception {
        String row = "{\"data_change_record\": {\"mods\": 7, \"text\": \"a\\u0000b\"}}";
        DeadLetter letter = DeadLetters.of(
                DeadLetter.Reason.FAILED,
                Changes.of(1),
                new UndecodableRowException("mods: a list was expected", row, new IllegalArgumentException("x")));
        sink().accept(letter);
        sink().accept(failed(Changes.of(2, "A")));
        given().restart();

        assertThat(store().openLetters())
                .containsExactly(
                        new DeadLetterStore.Entry(identity(1), DeadLetter.Reason.FAILED, Set.of(), false),
                        entry(2, DeadLetter.Reason.FAILED, "A"));
        StoredDeadLetter stored = store().read(List.of(identity(1))).getFirst();
        assertThat(stored).isEqualTo(StoredDeadLetter.of(letter));
        assertThat(stored.undecodableRow()).contains(row);

        ReplayResult result =
                DeadLetterReplay.of(store(), (change, delivery) -> {}).all();
        assertThat(result.replayed()).isEqualTo(1);
        assertThat(result.refused()).singleElement().satisfies(refusal -> {
            assertThat(refusal.identity()).isEqualTo(identity(1));
            assertThat(refusal.cause()).hasMessageContaining("cannot be replayed");
        });
        assertThat(store().discard(identity(1))).isTrue();
        assertThat(store().openLetters()).isEmpty();
    }

    @Test
    public final void open_letters_are_read_in_commit_order_claimed_or_not() throws Exception {
        sink().accept(parked(Changes.of(3, "A")));
        sink().accept(failed(Changes.of(1, "B")));
        sink().accept(failed(Changes.of(2, "C")));
        replay(2);
        try (DeadLetterStore.Claim claim = claim(3)) {
            assertThat(store().read(List.of(identity(3), identity(2), identity(1), identity(9))))
                    .extracting(StoredDeadLetter::change)
                    .containsExactly(Changes.of(1, "B"), claim.letter().change());
        }
        assertThat(store().read(List.of())).isEmpty();
    }

    @Test
    public final void a_claim_of_a_partition_returns_the_parked_keys() throws Exception {
        PartitionLease lease = new PartitionLease(DeadLetters.PARTITION, new WorkerId("ann"), 1, Changes.START);
        assertThat(sink().parkedKeys(lease)).isEmpty();
        sink().accept(parked(Changes.of(1, "A")));
        given().restart();
        assertThat(sink().parkedKeys(lease)).containsExactly(key("A"));
    }

    @Test
    public final void a_claimed_letter_cannot_be_claimed_again_until_the_claim_ends() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        try (DeadLetterStore.Claim claim = claim(1)) {
            assertThat(claim.letter().change()).isEqualTo(Changes.of(1, "A"));
            assertThat(store().claim(identity(1), true)).isEmpty();
            assertThat(store().discard(identity(1))).isFalse();
        }
        claim(1).close();
        assertThat(given().kept()).hasSize(1);
    }

    @Test
    public final void a_claim_that_has_ended_ends_no_other_when_it_is_closed_again() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        DeadLetterStore.Claim ended = claim(1);
        ended.close();
        try (DeadLetterStore.Claim claim = claim(1)) {
            ended.close();
            assertThat(store().claim(claim.letter().change().identity(), true)).isEmpty();
        }
    }

    @Test
    public final void a_letter_that_was_replayed_is_not_open_any_more() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        replay(1);
        assertThat(store().openLetters()).isEmpty();
        given().restart();
        assertThat(store().openLetters()).isEmpty();
        assertThat(given().kept()).isEmpty();
        assertThat(store().claim(identity(1), true)).isEmpty();
    }

    @Test
    public final void a_letter_that_was_discarded_is_not_open_any_more() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        assertThat(store().discard(identity(1))).isTrue();
        assertThat(store().discard(identity(1))).isFalse();
        given().restart();
        assertThat(store().openLetters()).isEmpty();
        assertThat(store().parkedKeys()).containsExactly(key("A"));
    }

    @Test
    public final void what_is_not_there_cannot_be_claimed_or_discarded() throws Exception {
        assertThat(store().claim(identity(1), true)).isEmpty();
        assertThat(store().discard(identity(1))).isFalse();
        assertThat(store().release(Set.of(key("A")))).isTrue();
    }

    @Test
    public final void the_letters_of_a_key_are_claimed_one_after_the_other() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        sink().accept(behind(Changes.of(2, "A", "B")));
        sink().accept(behind(Changes.of(3, "B")));
        sink().accept(parked(Changes.of(4, "C")));
        assertThat(store().claim(identity(2), true)).isEmpty();
        assertThat(store().claim(identity(3), true)).isEmpty();
        claim(4).close();
        replay(1);
        assertThat(store().claim(identity(3), true)).isEmpty();
        replay(2);
        replay(3);
    }

    @Test
    public final void letters_are_claimed_together_if_none_is_missing_before_one() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        sink().accept(behind(Changes.of(2, "A", "B")));
        sink().accept(behind(Changes.of(3, "B")));
        sink().accept(failed(Changes.of(4, "C")));
        sink().accept(failed(Changes.of(5, "C")));
        assertThat(claimed(1, 2, 4, 5)).containsExactly(1L, 2L, 4L, 5L);
        assertThat(claimed(1, 3, 9)).as("2 is missing before 3").containsExactly(1L);
        assertThat(claimed(2, 3, 5)).as("1 is missing, and 4").isEmpty();
        store().delivering(Changes.of(6, "C"));
        assertThat(claimed(3, 4)).as("4 was overtaken").isEmpty();
        try (DeadLetterStore.Claim claim = claim(1)) {
            assertThat(claimed(2, 3, 4)).as("what is claimed is missing").isEmpty();
            claim.replayed();
        }
        assertThat(claimed(2, 3)).containsExactly(2L, 3L);
    }

    /** Returns those of the given letters that can be claimed together. */
    private List<Long> claimed(long... seconds) throws Exception {
        List<RecordIdentity> asked = Arrays.stream(seconds)
                .mapToObj(DeadLetterSinkContract::identity)
                .toList();
        try (DeadLetterStore.Claim claim = store().claim(asked, false)) {
            assertThat(claim.considered()).isEqualTo(asked.size());
            return claim.letters().stream()
                    .map(letter -> Duration.between(
                                    Changes.START, letter.change().commitTimestamp())
                            .toSeconds())
                    .toList();
        }
    }

    @Test
    public final void of_letters_claimed_together_those_that_were_taken_are_resolved() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        sink().accept(behind(Changes.of(2, "A")));
        sink().accept(parked(Changes.of(3, "B")));
        try (DeadLetterStore.Claim claim = store().claim(List.of(identity(1), identity(2), identity(3)), false)) {
            claim.replayed(List.of(identity(1), identity(3)), false);
        }
        assertThat(store().parkedKeys()).containsExactlyInAnyOrder(key("A"), key("B"));
        for (int round = 0; round < 2; round++) {
            assertThat(store().openLetters())
                    .extracting(DeadLetterStore.Entry::identity)
                    .containsExactly(identity(2));
            given().restart();
        }
        replay(2);
    }

    @Test
    public final void a_key_is_released_when_none_of_its_letters_is_open() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        sink().accept(behind(Changes.of(2, "A", "B")));
        replay(1);
        assertThat(store().release(Set.of(key("A")))).isFalse();
        assertThat(store().release(Set.of(key("B")))).isFalse();
        replay(2);
        assertThat(store().release(Set.of(key("A")))).isTrue();
        assertThat(store().parkedKeys()).containsExactly(key("B"));
        given().restart();
        assertThat(store().parkedKeys()).containsExactly(key("B"));
        assertThat(store().release(Set.of(key("A"), key("B")))).isTrue();
        assertThat(store().parkedKeys()).isEmpty();
    }

    @Test
    public final void a_replay_releases_in_one_step_the_keys_that_no_letter_is_left_of() throws Exception {
        sink().accept(parked(Changes.of(1, "A", "B")));
        sink().accept(failed(Changes.of(2, "C")));
        try (DeadLetterStore.Claim claim = store().claim(List.of(identity(1), identity(2)), false)) {
            sink().accept(behind(Changes.of(3, "B")));
            assertThat(claim.replayed(List.of(identity(1), identity(2)), true)).containsExactly(key("A"));
        }
        for (int round = 0; round < 2; round++) {
            assertThat(store().parkedKeys()).containsExactly(key("B"));
            given().restart();
        }
    }

    @Test
    public final void of_several_keys_all_are_released_or_none() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        sink().accept(parked(Changes.of(2, "B")));
        replay(1);
        assertThat(store().release(Set.of(key("A"), key("B")))).isFalse();
        given().restart();
        assertThat(store().parkedKeys()).containsExactlyInAnyOrder(key("A"), key("B"));
    }

    @Test
    public final void a_change_of_a_released_key_is_not_kept_behind_it() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        replay(1);
        assertThat(store().acceptIfParked(behind(Changes.of(2, "A")))).isTrue();
        replay(2);
        assertThat(store().release(Set.of(key("A")))).isTrue();
        assertThat(store().acceptIfParked(behind(Changes.of(3, "A")))).isFalse();
        given().restart();
        assertThat(store().openLetters()).isEmpty();
        assertThat(store().acceptIfParked(behind(Changes.of(3, "A")))).isFalse();
        assertThat(store().parkedKeys()).isEmpty();
    }

    @Test
    public final void a_change_that_comes_again_after_its_letter_was_resolved_is_kept_again() throws Exception {
        sink().accept(parked(Changes.of(5, "A")));
        replay(5);
        assertThat(store().acceptIfParked(behind(Changes.of(4, "A")))).isTrue();
        assertThat(store().acceptIfParked(behind(Changes.of(5, "A")))).isTrue();
        given().restart();
        assertThat(store().openLetters())
                .extracting(DeadLetterStore.Entry::identity)
                .containsExactly(identity(4), identity(5));
    }

    @Test
    public final void a_change_that_comes_again_while_it_is_replayed_stays_open() throws Exception {
        sink().accept(parked(Changes.of(5, "A")));
        try (DeadLetterStore.Claim claim = claim(5)) {
            sink().accept(behind(Changes.of(4, "A")));
            sink().accept(behind(Changes.of(5, "A")));
            claim.replayed();
        }
        for (int round = 0; round < 2; round++) {
            assertThat(store().openLetters())
                    .extracting(DeadLetterStore.Entry::identity)
                    .containsExactly(identity(4), identity(5));
            given().restart();
        }
    }

    @Test
    public final void a_letter_is_overtaken_by_a_later_change_of_one_of_its_keys() throws Exception {
        sink().accept(failed(Changes.of(5, "A", "B")));
        store().delivering(Changes.of(4, "A"));
        store().delivering(Changes.of(5, "A", "B"));
        store().delivering(Changes.of(6, "C"));
        assertThat(isOvertaken(5)).isFalse();
        store().delivering(Changes.of(6, "B"));
        assertThat(isOvertaken(5)).isTrue();
        given().restart();
        assertThat(isOvertaken(5)).isTrue();
        assertThat(store().claim(identity(5), false)).isEmpty();
        try (DeadLetterStore.Claim claim = store().claim(identity(5), true).orElseThrow()) {
            claim.replayed();
        }
        assertThat(store().openLetters()).isEmpty();
    }

    @Test
    public final void a_letter_that_was_overtaken_does_not_hold_up_those_after_it() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        store().delivering(Changes.of(2, "A"));
        sink().accept(failed(Changes.of(3, "A")));
        assertThat(isOvertaken(1)).isTrue();
        replay(3);
        assertThat(isOvertaken(1)).isTrue();
    }

    @Test
    public final void a_parked_change_overtakes_nothing() throws Exception {
        for (int coming = 0; coming < 2; coming++) {
            for (int second = 1; second <= 4; second++) {
                store().delivering(Changes.of(second, "A"));
                sink().accept(failed(Changes.of(second, "A")));
            }
            for (int round = 0; round < 2; round++) {
                assertThat(store().openLetters()).hasSize(4).noneMatch(DeadLetterStore.Entry::overtaken);
                given().restart();
            }
        }
        store().delivering(Changes.of(5, "A"));
        assertThat(store().openLetters()).hasSize(4).allMatch(DeadLetterStore.Entry::overtaken);
    }

    @Test
    public final void an_earlier_letter_is_overtaken_by_one_that_is_replayed() throws Exception {
        sink().accept(failed(Changes.of(5, "A")));
        try (DeadLetterStore.Claim claim = claim(5)) {
            sink().accept(failed(Changes.of(4, "A")));
            claim.replayed();
        }
        for (int round = 0; round < 2; round++) {
            assertThat(isOvertaken(4)).isTrue();
            given().restart();
        }
    }

    @Test
    public final void deliveries_of_a_key_wait_while_a_letter_of_it_is_claimed() throws Exception {
        sink().accept(failed(Changes.of(1, "A", "B")));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread delivery = Thread.ofPlatform().unstarted(() -> {
            try {
                store().delivering(Changes.of(2, "B"));
            } catch (Throwable t) {
                failure.set(t);
            }
        });
        try (DeadLetterStore.Claim claim = claim(1)) {
            delivery.start();
            store().delivering(Changes.of(2, "C"));
            assertThat(waits(delivery)).isTrue();
            claim.replayed();
        }
        delivery.join(BOUND_NANOS / 1_000_000);
        assertThat(delivery.isAlive()).isFalse();
        assertThat(failure).hasNullValue();
        assertThat(store().openLetters()).isEmpty();
    }

    /** Returns whether the thread waits; false when it ends instead. */
    private static boolean waits(Thread thread) {
        long deadline = System.nanoTime() + BOUND_NANOS;
        while (System.nanoTime() - deadline < 0) {
            switch (thread.getState()) {
                case WAITING, TIMED_WAITING -> {
                    return true;
                }
                case TERMINATED -> {
                    return false;
                }
                case NEW, RUNNABLE, BLOCKED -> LockSupport.parkNanos(1_000_000);
            }
        }
        throw new AssertionError("the thread neither waits nor ends: " + List.of(thread.getStackTrace()));
    }

    private DeadLetterStore.Claim claim(long second) throws Exception {
        return store().claim(identity(second), false).orElseThrow(() -> new AssertionError("not claimed: " + second));
    }

    private void replay(long second) throws Exception {
        try (DeadLetterStore.Claim claim = claim(second)) {
            claim.replayed();
        }
    }

    private boolean isOvertaken(long second) throws Exception {
        RecordIdentity identity = identity(second);
        return store().openLetters().stream()
                .filter(entry -> entry.identity().equals(identity))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not open: " + second))
                .overtaken();
    }

    private static DeadLetterStore.Entry entry(long second, DeadLetter.Reason reason, String... ids) {
        return new DeadLetterStore.Entry(identity(second), reason, RecordKey.of(Changes.of(second, ids)), false);
    }
}

package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.DeliveryJudge.Acquired;
import dev.spream.cli.DeliveryJudge.Delivered;
import dev.spream.cli.DeliveryJudge.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeliveryJudgeTest {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final List<Delivered> delivered = new ArrayList<>();
    private final List<Acquired> acquired = new ArrayList<>();
    private long place;

    @Test
    void numbers_that_go_up_one_by_one_over_partitions_and_owners_are_in_order() {
        acquire("p", 1)
                .deliver("p", 1, 1, 2)
                .acquire("p", 2)
                .deliver("p", 2, 2, 3)
                .acquire("child", 1);
        deliver("child", 1, 4, 5);

        Verdict verdict = judge(5);

        assertFlawless(verdict);
        assertThat(verdict.duplicates()).isEqualTo(1);
        assertThat(verdict.fenced()).isZero();
    }

    @Test
    void a_number_that_was_not_delivered_is_lost() {
        acquire("p", 1).deliver("p", 1, 1, 2);
        assertThat(judge(3).lost()).containsExactly("k 3");
    }

    @Test
    void a_number_that_only_a_fenced_worker_delivered_is_lost() {
        acquire("p", 1).deliver("p", 1, 1).acquire("p", 2).deliver("p", 1, 2);
        Verdict verdict = judge(2);
        assertThat(verdict.lost()).containsExactly("k 2");
        assertThat(verdict.fenced()).isEqualTo(1);
    }

    @Test
    void a_key_that_ends_with_an_earlier_number_is_stale() {
        acquire("p", 1).deliver("p", 1, 1, 2, 3).acquire("p", 2).deliver("p", 2, 2);
        assertThat(judge(3).stale()).hasSize(1);
        deliver("p", 2, 3);
        assertFlawless(judge(3));
    }

    @Test
    void a_number_that_was_never_committed_is_unknown() {
        acquire("p", 1).deliver("p", 1, 1, 2);
        assertThat(judge(1).unknown()).hasSize(1);
    }

    @Test
    void a_number_that_comes_again_under_the_same_epoch_is_disorder() {
        acquire("p", 1).deliver("p", 1, 1, 2, 2);
        assertThat(judge(2).disorder()).hasSize(1);
    }

    @Test
    void a_number_that_is_skipped_and_comes_later_is_disorder() {
        acquire("p", 1).deliver("p", 1, 1, 3).acquire("p", 2).deliver("p", 2, 2, 3);
        assertThat(judge(3).disorder()).hasSize(1);
    }

    @Test
    void a_child_that_skips_a_number_is_disorder() {
        acquire("p", 1)
                .deliver("p", 1, 1)
                .acquire("child", 1)
                .deliver("child", 1, 3)
                .acquire("p", 2);
        deliver("p", 2, 2);
        assertThat(judge(3).disorder()).hasSize(1);
    }

    @Test
    void a_key_that_goes_back_to_a_partition_that_it_has_left_is_disorder() {
        acquire("p", 1)
                .deliver("p", 1, 1)
                .acquire("child", 1)
                .deliver("child", 1, 2)
                .deliver("p", 1, 2);
        assertThat(judge(2).disorder()).hasSize(1);
    }

    @Test
    void a_key_that_starts_in_the_middle_is_disorder() {
        acquire("p", 1).deliver("p", 1, 2).acquire("p", 2).deliver("p", 2, 1, 2);
        assertThat(judge(2).disorder()).hasSize(1);
    }

    @Test
    void effects_that_a_fenced_worker_had_begun_are_no_disorder_and_later_ones_are_reported() {
        acquire("p", 1).deliver("p", 1, 1, 2).acquire("p", 2).deliver("p", 2, 2, 3);
        delivered.add(new Delivered(++place, "w", "p", 1, "k", 2, START));
        Verdict verdict = judge(3);
        assertFlawless(verdict);
        assertThat(verdict.fenced()).isEqualTo(1);

        deliver("p", 1, 2); // was on its way to the consumer
        assertThat(judge(3).lateStarts()).isEmpty();
        deliver("p", 1, 3);
        assertThat(judge(3).lateStarts()).hasSize(2);
    }

    private DeliveryJudgeTest acquire(String partition, long epoch) {
        place++;
        acquired.add(new Acquired(place, "w", partition, epoch, START.plusSeconds(place)));
        return this;
    }

    private DeliveryJudgeTest deliver(String partition, long epoch, long... numbers) {
        for (long number : numbers) {
            place++;
            delivered.add(new Delivered(place, "w", partition, epoch, "k", number, START.plusSeconds(place)));
        }
        return this;
    }

    private Verdict judge(long committed) {
        return DeliveryJudge.judge(Map.of("k", committed), delivered, acquired);
    }

    private static void assertFlawless(Verdict verdict) {
        assertThat(verdict.lost()).isEmpty();
        assertThat(verdict.stale()).isEmpty();
        assertThat(verdict.unknown()).isEmpty();
        assertThat(verdict.disorder()).isEmpty();
        assertThat(verdict.lateStarts()).isEmpty();
    }
}

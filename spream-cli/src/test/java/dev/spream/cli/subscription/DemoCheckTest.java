package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.subscription.DemoCheck.BalanceChange;
import dev.spream.cli.subscription.DemoCheck.Delivered;
import dev.spream.cli.subscription.DemoCheck.Promise;
import dev.spream.cli.subscription.DemoCheck.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DemoCheckTest {
    private static final Promise ALL = new Promise(true, true);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final List<BalanceChange> committed = IntStream.range(0, 40)
            .mapToObj(i -> new BalanceChange("account-" + i % 4, START.plusNanos(i), 1_000 + i))
            .toList();
    private final List<Delivered> delivered = new ArrayList<>(
            committed.stream().map(change -> new Delivered(change, "p")).toList());

    @Test
    void it_passes_what_came_as_it_was_committed() {
        assertThat(judge()).isEqualTo(new Verdict(40, 40, 0, 0, 0, 0, 0));
        assertThat(judge().passed(ALL)).isTrue();
        assertThat(judge().text(ALL)).isEqualTo("delivered 40, lost 0, duplicated 0, out of order 0");
    }

    @Test
    void it_passes_accounts_that_overtake_each_other() {
        List<Delivered> byAccount = new ArrayList<>();
        for (int account = 3; account >= 0; account--) {
            String name = "account-" + account;
            delivered.stream()
                    .filter(delivery -> delivery.change().account().equals(name))
                    .forEach(byAccount::add);
        }
        assertThat(DemoCheck.judge(committed, byAccount, (a, b) -> true).passed(ALL))
                .isTrue();
    }

    @Test
    void it_notices_a_lost_record_wherever_it_was() {
        for (int i = 0; i < committed.size(); i++) {
            List<Delivered> rest = new ArrayList<>(delivered);
            rest.remove(i);
            assertThat(DemoCheck.judge(committed, rest, (a, b) -> true)).isEqualTo(new Verdict(40, 39, 1, 0, 0, 0, 0));
        }
    }

    @Test
    void it_notices_a_doubled_record_and_does_not_call_it_out_of_order() {
        delivered.add(5, delivered.get(3));
        assertThat(judge()).isEqualTo(new Verdict(40, 41, 0, 1, 0, 0, 0));
        assertThat(judge().passed(ALL)).isFalse();
    }

    @Test
    void a_history_that_comes_again_from_an_earlier_change_on_is_in_order() {
        delivered.addAll(30, List.copyOf(delivered.subList(10, 30)));
        assertThat(judge()).isEqualTo(new Verdict(40, 60, 0, 20, 0, 0, 0));
    }

    @Test
    void it_notices_an_old_change_that_comes_again_without_those_that_followed_it() {
        delivered.add(delivered.get(3));
        assertThat(judge()).isEqualTo(new Verdict(40, 41, 0, 1, 0, 1, 0));
        assertThat(judge().passed(new Promise(true, false))).isFalse();
    }

    @Test
    void it_notices_a_gap_in_a_history_that_comes_again() {
        delivered.addAll(12, List.of(delivered.get(0), delivered.get(8)));
        assertThat(judge()).isEqualTo(new Verdict(40, 42, 0, 2, 0, 1, 0));
    }

    @Test
    void it_notices_two_swapped_records_of_one_account() {
        Collections.swap(delivered, 8, 12);
        assertThat(judge()).isEqualTo(new Verdict(40, 40, 0, 0, 0, 1, 0));
        assertThat(judge().passed(ALL)).isFalse();
    }

    @Test
    void it_notices_two_records_of_one_account_that_were_consumed_at_the_same_time() {
        delivered.set(12, new Delivered(delivered.get(12).change(), "p", Optional.of("p")));
        assertThat(judge()).isEqualTo(new Verdict(40, 40, 0, 0, 0, 1, 0));
        Verdict unrelated = DemoCheck.judge(committed, delivered, (a, b) -> false);
        assertThat(unrelated).isEqualTo(new Verdict(40, 40, 0, 0, 0, 0, 1));
    }

    @Test
    void it_forgives_what_was_not_promised_and_counts_it() {
        delivered.add(5, delivered.get(3));
        Collections.swap(delivered, 9, 13);
        assertThat(judge()).isEqualTo(new Verdict(40, 41, 0, 1, 0, 1, 0));
        assertThat(judge().passed(new Promise(false, false))).isTrue();
        assertThat(judge().passed(new Promise(true, false))).isFalse();
        assertThat(judge().passed(new Promise(false, true))).isFalse();
        assertThat(judge().text(new Promise(false, false)))
                .isEqualTo("delivered 41, lost 0, duplicated 1, out of order 1 (not claimed)");
    }

    @Test
    void it_forgives_no_loss_and_no_invention() {
        Promise nothing = new Promise(false, false);
        Delivered first = delivered.removeFirst();
        assertThat(judge().passed(nothing)).isFalse();
        delivered.add(first);
        assertThat(judge().passed(nothing)).isTrue();
        delivered.add(new Delivered(new BalanceChange("account-1", START.plusSeconds(1), 7), "p"));
        assertThat(judge().passed(nothing)).isFalse();
    }

    @Test
    void it_notices_an_invented_record() {
        delivered.add(new Delivered(new BalanceChange("account-1", START.plusSeconds(1), 7), "p"));
        assertThat(judge()).isEqualTo(new Verdict(40, 41, 0, 0, 1, 0, 0));
        assertThat(judge().text(ALL))
                .isEqualTo("delivered 41, lost 0, duplicated 0, out of order 0, never committed 1");
        assertThat(judge().passed(ALL)).isFalse();
    }

    @Test
    void it_notices_a_wrong_balance_as_one_lost_and_one_invented() {
        BalanceChange right = committed.get(5);
        delivered.set(5, new Delivered(new BalanceChange(right.account(), right.commitTimestamp(), -1), "p"));
        assertThat(judge()).isEqualTo(new Verdict(40, 40, 1, 0, 1, 0, 0));
    }

    @Test
    void it_notices_that_nothing_came() {
        delivered.clear();
        assertThat(judge()).isEqualTo(new Verdict(40, 0, 40, 0, 0, 0, 0));
        assertThat(judge().passed(ALL)).isFalse();
    }

    @Test
    void it_says_of_which_records_it_did_not_judge_the_order() {
        Collections.swap(delivered, 8, 12);
        delivered.set(12, new Delivered(delivered.get(12).change(), "unrelated"));
        Verdict verdict = DemoCheck.judge(committed, delivered, String::equals);
        assertThat(verdict).isEqualTo(new Verdict(40, 40, 0, 0, 0, 0, 1));
        assertThat(verdict.passed(ALL)).isTrue();
        assertThat(verdict.text(ALL))
                .endsWith("(order of 1 not judged: the server moved their keys to unrelated partitions)");
    }

    @Test
    void it_agrees_with_a_naive_count_on_shuffled_deliveries() {
        for (int seed = 0; seed < 50; seed++) {
            Collections.shuffle(delivered, new Random(seed));
            int outOfOrder = 0;
            for (int i = 0; i < delivered.size(); i++) {
                outOfOrder += isAfterALaterOne(i) ? 1 : 0;
            }
            assertThat(judge()).as("seed %d", seed).isEqualTo(new Verdict(40, 40, 0, 0, 0, outOfOrder, 0));
        }
    }

    private boolean isAfterALaterOne(int index) {
        BalanceChange change = delivered.get(index).change();
        return delivered.subList(0, index).stream()
                .map(Delivered::change)
                .anyMatch(before -> before.account().equals(change.account())
                        && before.commitTimestamp().isAfter(change.commitTimestamp()));
    }

    private Verdict judge() {
        return DemoCheck.judge(committed, delivered, (a, b) -> true);
    }
}

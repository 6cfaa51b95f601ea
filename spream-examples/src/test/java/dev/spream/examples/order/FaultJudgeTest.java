package dev.spream.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.examples.order.FaultJudge.Accepted;
import dev.spream.examples.order.FaultJudge.Evidence;
import dev.spream.examples.order.FaultJudge.LedgerRow;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FaultJudgeTest {
    private static final List<Accepted> ACCEPTED = List.of(order("a"), order("b"), order("c"));
    private static final Set<String> ORDERS = Set.of("a", "b", "c");
    private static final List<LedgerRow> LEDGER =
            List.of(row("a", "succeeded"), row("b", "failed"), row("c", "succeeded"));

    @Test
    void orders_that_are_settled_and_had_the_effect_that_the_ledger_says_are_right() {
        assertThat(FaultJudge.judge(evidence(LEDGER, List.of(), List.of("a", "c"))))
                .isEmpty();
    }

    @Test
    void an_order_that_took_effect_twice_is_found() {
        assertThat(FaultJudge.judge(evidence(LEDGER, List.of(), List.of("a", "c", "a"))))
                .singleElement()
                .asString()
                .startsWith("2 effects")
                .contains("key=a");
    }

    @Test
    void an_order_that_succeeded_without_effect_or_failed_with_one_is_found() {
        assertThat(FaultJudge.judge(evidence(LEDGER, List.of(), List.of("a", "b"))))
                .satisfiesExactlyInAnyOrder(
                        wrong -> assertThat(wrong).startsWith("1 effects").contains("key=b"),
                        wrong -> assertThat(wrong).startsWith("0 effects").contains("key=c"));
    }

    @Test
    void orders_that_are_lost_unsettled_or_settled_twice_are_found() {
        List<LedgerRow> ledger = List.of(row("a", "in_progress"), row("b", "failed"), row("b", "failed"));
        assertThat(FaultJudge.judge(evidence(ledger, List.of("a (sending)"), List.of())))
                .satisfiesExactlyInAnyOrder(
                        wrong -> assertThat(wrong).isEqualTo("still in the outbox: a (sending)"),
                        wrong -> assertThat(wrong).startsWith("never settled").contains("key=a"),
                        wrong -> assertThat(wrong)
                                .startsWith("twice in the ledger")
                                .contains("key=b"),
                        wrong -> assertThat(wrong)
                                .startsWith("accepted, and not in the ledger")
                                .contains("key=c"),
                        wrong -> assertThat(wrong)
                                .startsWith("an order that is not in the ledger")
                                .contains("c"));
    }

    @Test
    void orders_of_an_account_that_changed_places_are_found() {
        assertThat(FaultJudge.judge(evidence(LEDGER, List.of(), List.of("c", "a"))))
                .singleElement()
                .asString()
                .startsWith("carried out after its successor");
    }

    private static Evidence evidence(List<LedgerRow> ledger, List<String> unsettled, List<String> effects) {
        return new Evidence(ACCEPTED, ORDERS, ledger, unsettled, effects);
    }

    private static Accepted order(String key) {
        return new Accepted(key, Optional.of("account"));
    }

    private static LedgerRow row(String key, String status) {
        return new LedgerRow(key, 1, status);
    }
}

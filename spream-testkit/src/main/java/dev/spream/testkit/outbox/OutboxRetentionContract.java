package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OutboxHistory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of retention: the removal of old rows by workers. */
interface OutboxRetentionContract<T> extends OperationsStage<T> {
    Duration AGE = Duration.ofHours(12);
    int ALL = 100;

    @Test
    default void what_is_settled_and_old_is_removed_and_everything_else_stays() {
        given().succeed(ANN, given().claimed(ANN, "succeeded"));
        given().abort(ANN, given().claimed(ANN, "aborted"));
        given().park(ANN, given().claimed(ANN, "parked"), true);
        given().claimed(ANN, "sending");
        given().fail(ANN, given().claimed(ANN, "failed"));
        given().enqueued("pending");
        given().pass(AGE.multipliedBy(2));
        given().enqueued("young");
        operations().settle(id("young"), ACCEPTED, ACT);

        assertThat(removed(OutboxHistory.ENTRIES, AGE.multipliedBy(3))).isZero();
        assertThat(removed(OutboxHistory.ENTRIES, AGE)).isEqualTo(2);
        assertThat(removed(OutboxHistory.ENTRIES, AGE)).isZero();
        assertThat(operations().find("succeeded")).isEmpty();
        assertThat(operations().find("aborted")).isEmpty();
        assertThat(List.of("parked", "sending", "failed", "pending", "young"))
                .allSatisfy(key -> assertThat(operations().find(key)).isPresent());
    }

    @Test
    default void the_ledger_remembers_a_request_until_its_entry_is_removed_and_it_is_old() {
        given().succeed(ANN, given().claimed(ANN, "old"));
        given().park(ANN, given().claimed(ANN, "parked"), true);
        given().pass(AGE.multipliedBy(2));
        assertThat(removed(OutboxHistory.LEDGER, AGE)).as("its entry is there").isZero();
        removed(OutboxHistory.ENTRIES, AGE);
        assertThat(removed(OutboxHistory.LEDGER, AGE.multipliedBy(3))).isZero();
        assertThat(removed(OutboxHistory.LEDGER, AGE)).isEqualTo(1);
        assertThat(given().ledger().find("old")).isEmpty();
        assertThat(given().ledger().find("parked")).isPresent();
    }

    @Test
    default void requests_are_found_behind_those_that_are_kept() {
        IntStream.range(0, 20).forEach(i -> given().enqueued("kept " + i));
        given().committed(transaction -> given().ledger().claim(transaction, "old", "d"));
        given().settledInLedger("old", ACCEPTED);
        given().pass(AGE.multipliedBy(2));
        int found = 0;
        for (int step = 0; step < 10 && found == 0; step++) {
            found = given().store().removeOld(OutboxHistory.LEDGER, AGE, 7);
        }
        assertThat(found).isEqualTo(1);
        assertThat(given().ledger().find("old")).isEmpty();
    }

    @Test
    default void the_audit_keeps_what_is_young() {
        given().enqueued("a");
        given().enqueued("b");
        long old = id("a");
        long young = id("b");
        operations().abort(old, ACT);
        given().pass(AGE.multipliedBy(2));
        operations().abort(young, ACT);

        assertThat(removed(OutboxHistory.AUDIT, AGE)).isEqualTo(1);
        assertThat(operations().audit(old)).isEmpty();
        assertThat(operations().audit(young)).hasSize(1);
        assertThat(removed(OutboxHistory.AUDIT, AGE)).isZero();
    }

    @Test
    default void workers_remove_each_entry_once_and_no_more_at_once_than_they_may() throws Exception {
        for (int i = 0; i < 40; i++) {
            given().succeed(ANN, given().claimed(ANN, "key " + i));
        }
        given().pass(AGE.multipliedBy(2));
        assertThat(given().store().removeOld(OutboxHistory.ENTRIES, AGE, 3)).isEqualTo(3);
        int together = given().onThreads(5, () -> removed(OutboxHistory.ENTRIES, AGE)).stream()
                .mapToInt(Integer::intValue)
                .sum();
        assertThat(together + removed(OutboxHistory.ENTRIES, AGE)).isEqualTo(37);
    }

    private int removed(OutboxHistory part, Duration age) {
        return given().store().removeOld(part, age, ALL);
    }
}

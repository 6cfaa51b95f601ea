package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static dev.spream.testkit.outbox.OutboxScenario.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.ReasonCode;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract of settling requests: a request is settled once, and its result never changes. */
interface LedgerSettleContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_request_in_progress_is_answered() {
        begin("a");
        assertThat(settle("a", 1, "d", ACCEPTED)).isTrue();
        LedgerEntry entry = given().ledgerEntry("a");
        assertThat(entry.status()).isEqualTo(LedgerStatus.SUCCEEDED);
        assertThat(entry.generation()).isEqualTo(1);
        assertThat(entry.requestDigest()).isEqualTo("d");
        assertThat(entry.settledAt().orElseThrow()).isAfterOrEqualTo(entry.createdAt());
    }

    @Test
    default void all_of_an_answer_is_kept() {
        LedgerResult result = new LedgerResult(
                LedgerStatus.FAILED, 451, Optional.of("{\"why\":\"law\"}"), Optional.of(new ReasonCode("LEGAL")));
        begin("a");
        settle("a", 1, "d", result);
        LedgerResult stored = given().result("a").orElseThrow();
        assertThat(stored.status()).isEqualTo(LedgerStatus.FAILED);
        assertThat(stored.httpStatus()).isEqualTo(451);
        assertThat(stored.reason()).contains(new ReasonCode("LEGAL"));
        assertThat(json(stored.responsePayload().orElseThrow())).isEqualTo("{\"why\":\"law\"}");
        begin("b");
        settle("b", 1, "d", LedgerResult.succeeded());
        assertThat(given().result("b")).contains(LedgerResult.succeeded());
    }

    @Test
    default void an_answer_never_changes() {
        begin("a");
        settle("a", 1, "d", ACCEPTED);
        List<LedgerEntry> before = given().fixture().generations("a");
        assertThat(settle("a", 1, "d", REJECTED)).isFalse();
        assertThat(settle("a", 1, "d", ACCEPTED)).isFalse();
        assertThat(settle("a", 2, "d", REJECTED)).isFalse();
        assertThat(given().fixture().generations("a")).isEqualTo(before);
    }

    @Test
    default void what_does_not_fit_is_not_answered() {
        begin("a");
        assertThat(settle("a", 1, "another", ACCEPTED)).isFalse();
        assertThat(settle("a", 2, "d", ACCEPTED)).isFalse();
        assertThat(settle("a", 0, "d", ACCEPTED)).isFalse();
        assertThat(settle("unknown", 1, "d", ACCEPTED)).isFalse();
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
        assertThat(given().ledger().find("unknown")).isEmpty();
    }

    @Test
    default void an_answer_is_undone_with_its_transaction() {
        begin("a");
        given().rolledBack(transaction -> given().ledger().settle(transaction, "a", 1, "d", ACCEPTED));
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.IN_PROGRESS);
        assertThat(settle("a", 1, "d", REJECTED)).isTrue();
    }

    @Test
    default void what_one_transaction_began_it_may_answer() {
        given().committed(transaction -> {
            given().ledger().claim(transaction, "a", "d");
            return assertThat(given().ledger().settle(transaction, "a", 1, "d", ACCEPTED))
                    .isTrue();
        });
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.SUCCEEDED);
    }

    @Test
    default void of_many_answers_at_once_one_stands() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "round " + round;
            begin(key);
            AtomicInteger number = new AtomicInteger();
            List<Integer> winners = given()
                    .onThreads(5, () -> {
                        int mine = number.incrementAndGet();
                        return settle(key, 1, "d", LedgerResult.succeeded(Integer.toString(mine))) ? mine : 0;
                    })
                    .stream()
                    .filter(winner -> winner > 0)
                    .toList();
            assertThat(winners).hasSize(1);
            assertThat(given().result(key).orElseThrow().responsePayload())
                    .contains(Integer.toString(winners.getFirst()));
        }
    }

    private void begin(String key) {
        given().committed(transaction -> given().ledger().claim(transaction, key, "d"));
    }

    private boolean settle(String key, int generation, String digest, LedgerResult result) {
        return given().committed(transaction -> given().ledger().settle(transaction, key, generation, digest, result));
    }
}

package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerResult;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of removing old requests from the ledger. */
interface LedgerPruneContract<T> extends OutboxScenario.Stage<T> {
    Duration DAY = Duration.ofDays(1);

    @Test
    default void requests_that_were_settled_long_ago_are_forgotten() {
        settled("old", ACCEPTED);
        settled("old and failed", REJECTED);
        begun("old and in progress");
        given().pass(DAY);
        settled("young", ACCEPTED);

        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isEqualTo(2);
        assertThat(given().ledger().find("old")).isEmpty();
        assertThat(given().ledger().find("old and failed")).isEmpty();
        assertThat(given().ledger().find("old and in progress")).isPresent();
        assertThat(given().ledger().find("young")).isPresent();
        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isZero();
    }

    @Test
    default void it_is_the_time_of_the_end_that_counts() {
        begun("a");
        given().pass(DAY);
        given().settledInLedger("a", ACCEPTED);
        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isZero();
        given().pass(DAY);
        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isEqualTo(1);
    }

    @Test
    default void a_request_is_forgotten_in_all_its_generations_and_is_new_then() {
        settled("a", REJECTED);
        given().committed(transaction -> given().ledger().reopen(transaction, "a"));
        given().settledInLedger("a", ACCEPTED);
        given().pass(DAY);
        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isEqualTo(1);
        assertThat(given().fixture().generations("a")).isEmpty();
        LedgerClaim claim = given().committed(transaction -> given().ledger().claim(transaction, "a", "another"));
        assertThat(claim).isEqualTo(new LedgerClaim.Begun(1));
    }

    @Test
    default void a_request_that_was_begun_again_is_kept_whole() {
        settled("a", REJECTED);
        given().committed(transaction -> given().ledger().reopen(transaction, "a"));
        given().pass(DAY);
        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isZero();
        assertThat(given().fixture().generations("a")).hasSize(2);
    }

    @Test
    default void requests_that_the_outbox_still_has_are_kept() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        given().abort(ANN, given().claimed(ANN, "b"));
        settled("c", ACCEPTED);
        given().pass(DAY);
        assertThat(given().ledger().prune(Duration.ofHours(12), 10)).isEqualTo(1);
        assertThat(given().ledger().find("a")).isPresent();
        assertThat(given().ledger().find("b")).isPresent();
    }

    @Test
    default void no_more_than_the_limit_are_forgotten_at_once() {
        IntStream.range(0, 5).forEach(i -> settled("key " + i, ACCEPTED));
        given().pass(DAY);
        assertThat(given().ledger().prune(Duration.ofHours(12), 3)).isEqualTo(3);
        assertThat(given().ledger().prune(Duration.ofHours(12), 3)).isEqualTo(2);
        assertThat(given().ledger().prune(Duration.ofHours(12), 3)).isZero();
    }

    @Test
    default void the_limit_counts_requests_that_can_be_forgotten() {
        for (int i = 0; i < 4; i++) {
            given().succeed(ANN, given().claimed(ANN, "kept " + i));
        }
        settled("a", ACCEPTED);
        given().pass(DAY);
        assertThat(given().ledger().prune(Duration.ofHours(12), 2)).isEqualTo(1);
    }

    private void begun(String key) {
        given().committed(transaction -> given().ledger().claim(transaction, key, "d"));
    }

    private void settled(String key, LedgerResult result) {
        begun(key);
        given().settledInLedger(key, result);
    }
}

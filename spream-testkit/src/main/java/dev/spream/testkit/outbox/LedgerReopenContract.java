package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of reopening failed requests, whose earlier generations are kept. */
interface LedgerReopenContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_failed_request_is_begun_again_in_the_next_generation() {
        failed("a");
        LedgerEntry first = given().ledgerEntry("a");
        assertThat(reopen("a")).contains(2);

        LedgerEntry second = given().ledgerEntry("a");
        assertThat(second.generation()).isEqualTo(2);
        assertThat(second.requestDigest()).isEqualTo(first.requestDigest());
        assertThat(second.result()).isEmpty();
        assertThat(given().fixture().generations("a")).containsExactly(first, second);
    }

    @Test
    default void generations_end_one_after_the_other_and_none_that_has_ended_changes() {
        failed("a");
        reopen("a");
        settle("a", 2, REJECTED);
        List<LedgerEntry> history = given().fixture().generations("a");
        assertThat(reopen("a")).contains(3);
        assertThat(settle("a", 1, ACCEPTED)).isFalse();
        assertThat(settle("a", 2, ACCEPTED)).isFalse();
        assertThat(settle("a", 3, ACCEPTED)).isTrue();

        assertThat(given().fixture().generations("a")).hasSize(3).startsWith(history.toArray(LedgerEntry[]::new));
        assertThat(given().ledgerEntry("a").generation()).isEqualTo(3);
        assertThat(given().ledgerEntry("a").status()).isEqualTo(LedgerStatus.SUCCEEDED);
    }

    @Test
    default void the_request_is_reported_in_progress_again() {
        failed("a");
        reopen("a");
        assertThat(claim("a")).isEqualTo(new LedgerClaim.InProgress(given().ledgerEntry("a")));
        settle("a", 2, ACCEPTED);
        assertThat(claim("a")).isEqualTo(new LedgerClaim.Settled(given().ledgerEntry("a")));
    }

    @Test
    default void what_has_not_failed_is_not_begun_again() {
        assertThat(reopen("unknown")).isEmpty();
        claim("a");
        assertThat(reopen("a")).as("in progress").isEmpty();
        settle("a", 1, ACCEPTED);
        assertThat(reopen("a")).as("succeeded").isEmpty();
        failed("b");
        reopen("b");
        assertThat(reopen("b")).as("in progress again").isEmpty();
        assertThat(given().ledger().find("unknown")).isEmpty();
        assertThat(given().fixture().generations("a")).hasSize(1);
        assertThat(given().fixture().generations("b")).hasSize(2);
    }

    @Test
    default void a_new_generation_is_undone_with_its_transaction() {
        failed("a");
        LedgerEntry entry = given().ledgerEntry("a");
        given().rolledBack(transaction -> given().ledger().reopen(transaction, "a"));
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
        assertThat(reopen("a")).contains(2);
    }

    @Test
    default void of_concurrent_reopens_one_succeeds() throws Exception {
        failed("a");
        List<Optional<Integer>> generations = given().onThreads(5, () -> reopen("a"));
        assertThat(generations.stream().flatMap(Optional::stream)).containsExactly(2);
        assertThat(given().fixture().generations("a")).hasSize(2);
    }

    private void failed(String key) {
        claim(key);
        settle(key, 1, REJECTED);
    }

    private LedgerClaim claim(String key) {
        return given().committed(transaction -> given().ledger().claim(transaction, key, "d"));
    }

    private boolean settle(String key, int generation, LedgerResult result) {
        return given().committed(transaction -> given().ledger().settle(transaction, key, generation, "d", result));
    }

    private Optional<Integer> reopen(String key) {
        return given().committed(transaction -> given().ledger().reopen(transaction, key));
    }
}

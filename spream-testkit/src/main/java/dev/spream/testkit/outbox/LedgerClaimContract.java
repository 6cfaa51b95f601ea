package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.assertWaits;
import static dev.spream.testkit.outbox.OutboxScenario.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The contract of beginning a request: one caller begins it, and the others get the reason why they did not. */
interface LedgerClaimContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_request_that_is_new_is_begun_in_its_first_generation() {
        assertThat(claim("a", "d")).isEqualTo(new LedgerClaim.Begun(1));
        LedgerEntry entry = given().ledgerEntry("a");
        assertThat(entry.idempotencyKey()).isEqualTo("a");
        assertThat(entry.generation()).isEqualTo(1);
        assertThat(entry.requestDigest()).isEqualTo("d");
        assertThat(entry.result()).isEmpty();
        assertThat(entry.settledAt()).isEmpty();
        assertThat(entry.createdAt()).isBeforeOrEqualTo(given().fixture().now());
    }

    @Test
    default void a_key_that_was_never_begun_is_not_found() {
        assertThat(given().ledger().find("a")).isEmpty();
        claim("a", "d");
        assertThat(given().ledger().find("A")).isEmpty();
    }

    @Test
    default void the_same_request_again_is_in_progress() {
        claim("a", "d");
        assertThat(claim("a", "d")).isEqualTo(new LedgerClaim.InProgress(given().ledgerEntry("a")));
        assertThat(given().fixture().generations("a")).hasSize(1);
    }

    @Test
    default void the_same_request_after_its_end_has_its_answer() {
        claim("a", "d");
        given().settledInLedger("a", ACCEPTED);
        assertThat(claim("a", "d")).isEqualTo(new LedgerClaim.Settled(given().ledgerEntry("a")));
    }

    @Test
    default void another_request_under_the_key_is_a_conflict_before_and_after_the_end() {
        claim("a", "d");
        LedgerEntry entry = given().ledgerEntry("a");
        assertThat(claim("a", "e")).isEqualTo(new LedgerClaim.Conflict(entry));
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
        given().settledInLedger("a", ACCEPTED);
        assertThat(claim("a", "e")).isEqualTo(new LedgerClaim.Conflict(given().ledgerEntry("a")));
    }

    @Test
    default void what_is_not_committed_is_not_found_and_what_is_rolled_back_was_never_begun() {
        T open = given().fixture().begin();
        assertThat(given().ledger().claim(open, "a", "d")).isEqualTo(new LedgerClaim.Begun(1));
        assertThat(given().ledger().claim(open, "a", "d")).isInstanceOf(LedgerClaim.InProgress.class);
        assertThat(given().ledger().find("a")).isEmpty();
        given().fixture().rollback(open);
        assertThat(given().ledger().find("a")).isEmpty();
        assertThat(claim("a", "e")).isEqualTo(new LedgerClaim.Begun(1));
    }

    @Test
    default void a_request_waits_for_a_transaction_with_its_key_and_finds_the_result() {
        T open = given().fixture().begin();
        given().ledger().claim(open, "a", "d");
        Future<LedgerClaim> second = given().start(() -> claim("a", "d"));
        assertWaits(second);
        given().fixture().commit(open);
        assertThat(resultOf(second)).isInstanceOf(LedgerClaim.InProgress.class);
    }

    @Test
    default void a_request_gets_a_key_when_the_transaction_with_it_is_rolled_back() {
        T open = given().fixture().begin();
        given().ledger().claim(open, "a", "d");
        Future<LedgerClaim> second = given().start(() -> claim("a", "e"));
        assertWaits(second);
        given().fixture().rollback(open);
        assertThat(resultOf(second)).isEqualTo(new LedgerClaim.Begun(1));
        assertThat(given().ledgerEntry("a").requestDigest()).isEqualTo("e");
    }

    @Test
    default void of_concurrent_begins_of_a_request_one_succeeds() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "round " + round;
            List<LedgerClaim> claims = given().onThreads(6, () -> claim(key, "d"));
            assertThat(claims).filteredOn(LedgerClaim.Begun.class::isInstance).hasSize(1);
            assertThat(claims)
                    .filteredOn(LedgerClaim.InProgress.class::isInstance)
                    .hasSize(5);
        }
    }

    @Test
    default void a_transaction_that_has_ended_is_refused_and_has_the_declared_type() {
        T ended = given().fixture().begin();
        assertThat(ended).isInstanceOf(given().ledger().transactionType());
        given().fixture().commit(ended);
        assertThatThrownBy(() -> given().ledger().claim(ended, "a", "d")).isInstanceOf(StorageException.class);
        assertThat(given().ledger().find("a")).isEmpty();
    }

    private LedgerClaim claim(String key, String digest) {
        return given().committed(transaction -> given().ledger().claim(transaction, key, digest));
    }
}

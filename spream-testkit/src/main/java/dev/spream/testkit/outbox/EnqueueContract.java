package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ACCEPTED;
import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.REJECTED;
import static dev.spream.testkit.outbox.OutboxScenario.idOf;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of enqueueing: its effects on the outbox and the ledger, in the transaction of the caller. */
interface EnqueueContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_message_is_in_the_outbox_and_in_the_ledger_if_the_transaction_commits() {
        long id = given().enqueued("a");
        LedgerEntry entry = given().ledgerEntry("a");
        assertThat(entry.status()).isEqualTo(LedgerStatus.IN_PROGRESS);
        assertThat(entry.generation()).isEqualTo(1);
        assertThat(entry.requestDigest()).isEqualTo(message("a").requestDigest());
        assertThat(given().status("a")).isEqualTo(OutboxStatus.PENDING);
        assertThat(given().claim(ANN).entry().id()).isEqualTo(id);
    }

    @Test
    default void nothing_is_there_before_the_transaction_commits() {
        T open = given().fixture().begin();
        assertThat(given().outbox().enqueue(open, message("a"))).isInstanceOf(EnqueueResult.Enqueued.class);
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(given().ledger().find("a")).isEmpty();
        assertThat(given().store().ordered("", "k", 10)).isEmpty();
        given().fixture().commit(open);
        assertThat(given().claimedKeys(ANN)).containsExactly("a");
    }

    @Test
    default void nothing_is_there_if_the_transaction_is_rolled_back_and_the_key_is_free() {
        given().rolledBack(transaction -> given().outbox().enqueue(transaction, message("a")));
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(given().ledger().find("a")).isEmpty();
        given().enqueued("a");
        assertThat(given().claimedKeys(ANN)).containsExactly("a");
    }

    @Test
    default void a_transaction_is_of_the_type_that_is_declared() {
        T transaction = given().fixture().begin();
        assertThat(transaction).isInstanceOf(given().outbox().transactionType());
        given().fixture().rollback(transaction);
    }

    @Test
    default void ids_grow_in_the_order_of_enqueuing() {
        long first = given().enqueued("a");
        long second = given().ordered("b", "k");
        long third = given().ordered("c", "k");
        assertThat(first).isPositive().isLessThan(second);
        assertThat(second).isLessThan(third);
    }

    @Test
    default void the_same_request_again_is_in_progress_and_enqueues_nothing() {
        given().enqueued("a");
        EnqueueResult again = given().enqueue(message("a"));
        assertThat(again).isEqualTo(new EnqueueResult.InProgress(given().ledgerEntry("a")));
        assertThat(given().claims(ANN)).hasSize(1);
        assertThat(given().enqueue(message("a"))).isInstanceOf(EnqueueResult.InProgress.class);
    }

    @Test
    default void the_same_request_twice_in_one_transaction_is_enqueued_once() {
        given().committed(transaction -> {
            idOf(given().outbox().enqueue(transaction, message("a")));
            assertThat(given().outbox().enqueue(transaction, message("a")))
                    .isInstanceOf(EnqueueResult.InProgress.class);
            return true;
        });
        assertThat(given().claims(ANN)).hasSize(1);
    }

    @Test
    default void a_request_that_has_succeeded_has_its_answer_and_enqueues_nothing() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        EnqueueResult again = given().enqueue(message("a"));
        assertThat(again).isEqualTo(new EnqueueResult.Settled(given().ledgerEntry("a")));
        assertThat(((EnqueueResult.Settled) again).entry().status()).isEqualTo(LedgerStatus.SUCCEEDED);
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void a_request_that_has_failed_has_its_answer_and_enqueues_nothing() {
        given().abort(ANN, given().claimed(ANN, "a"));
        EnqueueResult again = given().enqueue(message("a"));
        assertThat(again).isInstanceOf(EnqueueResult.Settled.class);
        assertThat(((EnqueueResult.Settled) again).entry().result()).contains(REJECTED);
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(given().status("a")).isEqualTo(OutboxStatus.ABORTED);
    }

    @Test
    default void another_request_under_the_same_key_is_a_conflict_and_changes_nothing() {
        given().enqueued("a");
        LedgerEntry entry = given().ledgerEntry("a");
        OutboxMessage another = OutboxMessage.of("a", "{\"of\":\"another\"}");
        assertThat(given().enqueue(another)).isEqualTo(new EnqueueResult.Conflict(entry));
        assertThat(given().ledgerEntry("a")).isEqualTo(entry);
        given().succeed(ANN, given().claim(ANN));
        assertThat(given().enqueue(another)).isEqualTo(new EnqueueResult.Conflict(given().ledgerEntry("a")));
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void requests_differ_by_their_digest() {
        given().enqueued(OutboxMessage.builder("a", "{\"at\":1}")
                .requestDigest("same")
                .build());
        assertThat(given().enqueue(OutboxMessage.builder("a", "{\"at\":2}")
                        .requestDigest("same")
                        .build()))
                .isInstanceOf(EnqueueResult.InProgress.class);
    }

    @Test
    default void a_message_that_would_expire_during_its_delay_is_refused_and_nothing_is_enqueued() {
        OutboxMessage late = delayed("late", Duration.ofMinutes(30));
        List<OutboxMessage> messages = List.of(message("a"), late, delayed("in time", Duration.ofHours(2)));
        given().rolledBack(
                        transaction -> assertThatThrownBy(() -> given().outbox().enqueueAll(transaction, messages))
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageContaining("expiresAt is %s"
                                        .formatted(late.expiresAt().orElseThrow()))
                                .hasMessageContaining("after the end of its delay of 1 h"));
        assertThat(given().ledger().find("a")).isEmpty();
        assertThat(given().ledger().find("late")).isEmpty();
        given().enqueued(messages.getLast());
        assertThat(given().enqueue(delayed("in time", Duration.ofMinutes(30))))
                .as("a repeated request")
                .isInstanceOf(EnqueueResult.InProgress.class);
    }

    private OutboxMessage delayed(String key, Duration expiresIn) {
        return messageBuilder(key)
                .afterDelay(Duration.ofHours(1))
                .expiresAt(given().in(expiresIn))
                .build();
    }

    @Test
    default void a_key_that_the_ledger_has_without_an_entry_enqueues_nothing() {
        OutboxMessage message = message("a");
        given().committed(transaction -> given().ledger().claim(transaction, "a", message.requestDigest()));
        assertThat(given().enqueue(message)).isInstanceOf(EnqueueResult.InProgress.class);
        given().settledInLedger("a", ACCEPTED);
        assertThat(given().enqueue(message)).isInstanceOf(EnqueueResult.Settled.class);
        assertThat(given().store().claim(ANN, "", 10, LEASE).isEmpty()).isTrue();
    }

    @Test
    default void keys_that_differ_in_the_least_are_kept_apart() {
        String[] keys = {"a", "A", "a ", " a", "\u00e4", "a\u0308", "'; --", "a%", "a_", "\"a\"", "\\", "a\nb"};
        for (String key : keys) {
            given().enqueued(OutboxMessage.of(key, "1"));
        }
        given().enqueuedAll("k".repeat(OutboxMessage.MAX_KEY), "k".repeat(OutboxMessage.MAX_KEY - 1));
        assertThat(given().claimedKeys(ANN)).hasSize(keys.length + 2).contains(keys);
    }

    @Test
    default void a_transaction_that_has_ended_is_refused() {
        T ended = given().fixture().begin();
        given().fixture().commit(ended);
        assertThatThrownBy(() -> given().outbox().enqueue(ended, message("a"))).isInstanceOf(StorageException.class);
        assertThat(given().claims(ANN)).isEmpty();
    }
}

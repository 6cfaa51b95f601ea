package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.assertWaits;
import static dev.spream.testkit.outbox.OutboxScenario.idOf;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxMessage;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A key that two transactions enqueue at once is enqueued by one. */
interface EnqueueRaceContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void who_enqueues_a_key_of_an_open_transaction_waits_and_finds_it_when_that_commits() {
        T open = given().fixture().begin();
        idOf(given().outbox().enqueue(open, message("a")));
        Future<EnqueueResult> second = given().start(() -> given().enqueue(message("a")));
        assertWaits(second);
        given().fixture().commit(open);
        assertThat(resultOf(second)).isInstanceOf(EnqueueResult.InProgress.class);
        assertThat(given().claims(ANN)).hasSize(1);
    }

    @Test
    default void who_waits_for_another_request_under_the_key_finds_the_conflict() {
        T open = given().fixture().begin();
        idOf(given().outbox().enqueue(open, message("a")));
        Future<EnqueueResult> second = given().start(() -> given().enqueue(OutboxMessage.of("a", "\"another\"")));
        assertWaits(second);
        given().fixture().commit(open);
        assertThat(resultOf(second)).isInstanceOf(EnqueueResult.Conflict.class);
    }

    @Test
    default void who_enqueues_a_key_of_an_open_transaction_has_it_when_that_is_rolled_back() {
        T open = given().fixture().begin();
        long never = idOf(given().outbox().enqueue(open, message("a")));
        Future<EnqueueResult> second = given().start(() -> given().enqueue(message("a")));
        assertWaits(second);
        given().fixture().rollback(open);
        long id = idOf(resultOf(second));
        assertThat(id).isNotEqualTo(never);
        assertThat(given().claim(ANN).entry().id()).isEqualTo(id);
    }

    @Test
    default void who_enqueues_other_keys_does_not_wait() {
        T open = given().fixture().begin();
        given().outbox().enqueue(open, message("a"));
        idOf(resultOf(given().start(() -> given().enqueue(message("b")))));
        given().fixture().rollback(open);
    }

    @Test
    default void one_of_many_who_enqueue_a_key_at_once_enqueues_it() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "round " + round;
            List<EnqueueResult> results = given().onThreads(6, () -> given().enqueue(message(key)));
            assertThat(results)
                    .filteredOn(EnqueueResult.Enqueued.class::isInstance)
                    .hasSize(1);
            assertThat(results)
                    .filteredOn(EnqueueResult.InProgress.class::isInstance)
                    .hasSize(5);
        }
        assertThat(given().claims(ANN)).hasSize(10);
    }
}

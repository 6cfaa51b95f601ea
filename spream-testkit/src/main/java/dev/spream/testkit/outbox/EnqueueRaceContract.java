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

/** The contract of concurrent enqueueing: of two transactions with the same key, one enqueues it. */
interface EnqueueRaceContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void an_enqueue_waits_for_a_transaction_with_its_key_and_finds_the_duplicate() {
        T open = given().fixture().begin();
        idOf(given().outbox().enqueue(open, message("a")));
        Future<EnqueueResult> second = given().start(() -> given().enqueue(message("a")));
        assertWaits(second);
        given().fixture().commit(open);
        assertThat(resultOf(second)).isInstanceOf(EnqueueResult.InProgress.class);
        assertThat(given().claims(ANN)).hasSize(1);
    }

    @Test
    default void a_request_that_waited_for_another_under_its_key_finds_the_conflict() {
        T open = given().fixture().begin();
        idOf(given().outbox().enqueue(open, message("a")));
        Future<EnqueueResult> second = given().start(() -> given().enqueue(OutboxMessage.of("a", "\"another\"")));
        assertWaits(second);
        given().fixture().commit(open);
        assertThat(resultOf(second)).isInstanceOf(EnqueueResult.Conflict.class);
    }

    @Test
    default void an_enqueue_succeeds_when_the_transaction_with_its_key_is_rolled_back() {
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
    default void an_enqueue_of_other_keys_does_not_wait() {
        T open = given().fixture().begin();
        given().outbox().enqueue(open, message("a"));
        idOf(resultOf(given().start(() -> given().enqueue(message("b")))));
        given().fixture().rollback(open);
    }

    @Test
    default void of_concurrent_enqueues_of_a_key_one_succeeds() throws Exception {
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

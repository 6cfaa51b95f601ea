package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.idOf;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of enqueueing several messages at once: the same effect as one by one. */
interface EnqueueAllContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void several_messages_are_enqueued_in_their_order() {
        List<EnqueueResult> results = enqueueAll(
                messageBuilder("a").orderingKey("k").build(),
                messageBuilder("b").orderingKey("k").build(),
                messageBuilder("c").orderingKey("k").build());
        List<Long> ids = results.stream().map(OutboxScenario::idOf).toList();
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(given().store().ordered("", "k", 10))
                .extracting(OrderedEntry::id)
                .containsExactlyElementsOf(ids);
        assertThat(keys(given().claimOrdered(ANN, ids.getFirst()))).containsExactly("a");
    }

    @Test
    default void each_of_several_messages_keeps_what_is_its_own() {
        enqueueAll(
                messageBuilder("a")
                        .requestDigest("digest of a")
                        .expiresAt(given().in(Duration.ofHours(1)))
                        .build(),
                messageBuilder("b").notBefore(given().in(Duration.ofHours(1))).build(),
                messageBuilder("c").traceparent("parent").build());
        List<OutboxClaim> claims = given().claims(ANN);
        assertThat(keys(claims)).containsExactlyInAnyOrder("a", "c");
        OutboxEntry a = entry(claims, "a");
        assertThat(a.requestDigest()).isEqualTo("digest of a");
        assertThat(a.expiresAt()).isPresent();
        assertThat(a.traceparent()).isEmpty();
        OutboxEntry c = entry(claims, "c");
        assertThat(c.traceparent()).contains("parent");
        assertThat(c.expiresAt()).isEmpty();
        assertThat(c.payload()).contains("\"c\"");
    }

    private static OutboxEntry entry(List<OutboxClaim> claims, String key) {
        return claims.stream()
                .map(OutboxClaim::entry)
                .filter(entry -> entry.idempotencyKey().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    default void results_are_in_the_order_of_the_messages_whatever_they_are() {
        given().enqueued("in progress");
        given().enqueued("of another");
        given().succeed(
                        ANN,
                        given().claims(ANN).stream()
                                .filter(claim -> claim.entry().idempotencyKey().equals("of another"))
                                .findFirst()
                                .orElseThrow());
        given().enqueued("settled");
        given().succeed(ANN, given().claim(ANN));

        List<EnqueueResult> results = enqueueAll(
                message("new"),
                message("settled"),
                OutboxMessage.of("of another", "7"),
                message("in progress"),
                message("newer"));
        assertThat(results.get(0)).isInstanceOf(EnqueueResult.Enqueued.class);
        assertThat(results.get(1)).isEqualTo(new EnqueueResult.Settled(given().ledgerEntry("settled")));
        assertThat(results.get(2)).isEqualTo(new EnqueueResult.Conflict(given().ledgerEntry("of another")));
        assertThat(results.get(3)).isEqualTo(new EnqueueResult.InProgress(given().ledgerEntry("in progress")));
        assertThat(results.get(4)).isInstanceOf(EnqueueResult.Enqueued.class);
        assertThat(given().claimedKeys(ANN)).containsExactlyInAnyOrder("new", "newer");
    }

    @Test
    default void a_key_that_is_there_twice_is_enqueued_once() {
        List<EnqueueResult> results =
                enqueueAll(message("a"), message("b"), message("a"), OutboxMessage.of("b", "\"another\""));
        idOf(results.get(0));
        idOf(results.get(1));
        assertThat(results.get(2)).isInstanceOf(EnqueueResult.InProgress.class);
        assertThat(results.get(3)).isInstanceOf(EnqueueResult.Conflict.class);
        List<OutboxClaim> claims = given().claims(ANN);
        assertThat(keys(claims)).containsExactlyInAnyOrder("a", "b");
        assertThat(claims.stream().map(claim -> claim.entry().id()))
                .containsExactlyInAnyOrder(idOf(results.get(0)), idOf(results.get(1)));
        assertThat(given().ledgerEntry("b").requestDigest())
                .isEqualTo(message("b").requestDigest());
    }

    @Test
    default void no_messages_are_no_results() {
        assertThat(enqueueAll()).isEmpty();
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void several_messages_are_rolled_back_together() {
        given().rolledBack(
                        transaction -> given().outbox().enqueueAll(transaction, List.of(message("a"), message("b"))));
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(given().ledger().find("a")).isEmpty();
        assertThat(given().ledger().find("b")).isEmpty();
    }

    @Test
    default void hundreds_of_messages_are_enqueued_at_once() {
        OutboxMessage[] messages =
                IntStream.range(0, 700).mapToObj(i -> message("key " + i)).toArray(OutboxMessage[]::new);
        List<Long> ids = enqueueAll(messages).stream().map(OutboxScenario::idOf).toList();
        assertThat(ids).hasSize(700).isSorted().doesNotHaveDuplicates();
        assertThat(given().ledger().find("key 699")).isPresent();
        assertThat(given().status("key 350")).isEqualTo(OutboxStatus.PENDING);
    }

    private List<EnqueueResult> enqueueAll(OutboxMessage... messages) {
        return given().committed(transaction -> given().outbox().enqueueAll(transaction, List.of(messages)));
    }
}

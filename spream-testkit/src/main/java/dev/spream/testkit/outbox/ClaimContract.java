package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.DELAY;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.failure;
import static dev.spream.testkit.outbox.OutboxScenario.json;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static dev.spream.testkit.outbox.OutboxScenario.unknownFailure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of claims: the selection of entries and their content. */
interface ClaimContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void a_claim_of_an_empty_outbox_is_empty() {
        ClaimResult result = given().store().claim(ANN, "", 10, LEASE);
        assertThat(result.isEmpty()).isTrue();
        assertThat(result.leasesExpired()).isZero();
    }

    @Test
    default void a_claim_has_what_was_enqueued() {
        Instant before = given().in(Duration.ZERO);
        OutboxMessage message = messageBuilder("a")
                .requestDigest("digest of a")
                .notBefore(given().in(Duration.ofSeconds(-5)))
                .expiresAt(given().in(Duration.ofHours(1)))
                .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .build();
        long id = given().enqueued(message);

        OutboxClaim claim = given().claim(ANN);
        assertThat(claim.entry().id()).isEqualTo(id);
        assertThat(claim.entry().idempotencyKey()).isEqualTo("a");
        assertThat(claim.entry().generation()).isEqualTo(1);
        assertThat(claim.entry().requestDigest()).isEqualTo("digest of a");
        assertThat(json(claim.entry().payload())).isEqualTo(message.payload());
        assertThat(claim.entry().orderingKey()).isEmpty();
        assertThat(claim.entry().traceparent()).isEqualTo(message.traceparent());
        assertThat(claim.entry().expiresAt()).isEqualTo(message.expiresAt());
        assertThat(claim.entry().createdAt())
                .isBetween(before, given().fixture().now());
        assertThat(claim.claimedAt())
                .isBetween(claim.entry().createdAt(), given().fixture().now());
    }

    @Test
    default void an_entry_with_nothing_but_key_and_payload_is_claimed_as_such() {
        given().enqueued("a");

        OutboxEntry entry = given().claim(ANN).entry();
        assertThat(entry.requestDigest()).isEqualTo(message("a").requestDigest());
        assertThat(entry.orderingKey()).isEmpty();
        assertThat(entry.traceparent()).isEmpty();
        assertThat(entry.expiresAt()).isEmpty();
    }

    @Test
    default void a_first_claim_is_the_first_attempt_and_nothing_is_unknown() {
        OutboxClaim claim = given().claimed(ANN, "a");
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(claim.outcomeUnknown()).isFalse();
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SENDING);
    }

    @Test
    default void an_entry_under_a_live_lease_is_not_claimed_not_even_by_its_worker() {
        given().claimed(ANN, "a");
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(given().claims(BOB)).isEmpty();
        assertThat(given().fixture().anotherStore().claim(BOB, "", 10, LEASE).claims())
                .isEmpty();
    }

    @Test
    default void no_more_than_the_limit_is_claimed() {
        given().enqueuedAll("a", "b", "c", "d", "e");
        List<Integer> sizes = new ArrayList<>();
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<OutboxClaim> claims = given().store().claim(ANN, "", 2, LEASE).claims();
            sizes.add(claims.size());
            all.addAll(keys(claims));
        }
        assertThat(sizes).containsExactly(2, 2, 1, 0);
        assertThat(all).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
    }

    @Test
    default void those_that_are_due_longest_are_claimed_first() {
        given().enqueued(messageBuilder("third")
                .notBefore(given().in(Duration.ofSeconds(30)))
                .build());
        given().enqueued(messageBuilder("first")
                .notBefore(given().in(Duration.ofSeconds(10)))
                .build());
        given().enqueued(messageBuilder("second")
                .notBefore(given().in(Duration.ofSeconds(20)))
                .build());
        given().pass(Duration.ofSeconds(31));

        assertThat(keys(given().store().claim(ANN, "", 2, LEASE).claims())).containsExactly("first", "second");
        assertThat(keys(given().store().claim(ANN, "", 2, LEASE).claims())).containsExactly("third");
    }

    @Test
    default void an_entry_is_not_claimed_before_its_time() {
        given().enqueued(messageBuilder("a")
                .notBefore(given().in(Duration.ofSeconds(30)))
                .build());
        assertThat(given().claims(ANN)).isEmpty();
        given().pass(Duration.ofSeconds(20));
        assertThat(given().claims(ANN)).isEmpty();
        given().pass(Duration.ofSeconds(11));
        assertThat(given().claimedKeys(ANN)).containsExactly("a");
    }

    @Test
    default void an_entry_that_has_expired_is_not_claimed() {
        given().enqueued(messageBuilder("a")
                .expiresAt(given().in(Duration.ofSeconds(30)))
                .build());
        given().enqueued(messageBuilder("b")
                .expiresAt(given().in(Duration.ofSeconds(60)))
                .build());
        given().pass(Duration.ofSeconds(31));
        assertThat(given().claimedKeys(ANN)).containsExactly("b");
        assertThat(given().status("a")).isEqualTo(OutboxStatus.PENDING);
    }

    @Test
    default void entries_with_an_ordering_key_are_not_claimed_with_those_without() {
        given().ordered("a", "k");
        given().enqueued("b");
        assertThat(given().claimedKeys(ANN)).containsExactly("b");
    }

    @Test
    default void a_failed_entry_is_claimed_again_when_its_delay_is_over() {
        given().fail(ANN, given().claimed(ANN, "a"));
        assertThat(given().claims(BOB)).isEmpty();
        given().pass(DELAY.minusSeconds(5));
        assertThat(given().claims(BOB)).isEmpty();
        given().pass(Duration.ofSeconds(6));
        assertThat(given().claimedKeys(BOB)).containsExactly("a");
    }

    @Test
    default void tokens_and_attempts_grow_with_each_claim() {
        OutboxClaim first = given().claimed(ANN, "a");
        given().settle(ANN, failure(first.ref(), Duration.ZERO));
        OutboxClaim second = given().claim(BOB);
        given().settle(BOB, failure(second.ref(), Duration.ZERO));
        OutboxClaim third = given().claim(ANN);

        assertThat(List.of(first.attempt(), second.attempt(), third.attempt())).containsExactly(1, 2, 3);
        assertThat(second.token()).isEqualTo(first.token() + 1);
        assertThat(third.token()).isEqualTo(first.token() + 2);
    }

    @Test
    default void attempts_of_workers_that_died_count() {
        OutboxClaim first = given().claimed(ANN, "a");
        for (int attempt = 2; attempt <= 4; attempt++) {
            given().letLeasesRunOut();
            assertThat(given().claim(ANN).attempt()).isEqualTo(attempt);
        }
        assertThat(first.attempt()).isEqualTo(1);
    }

    @Test
    default void an_entry_with_an_expired_lease_is_claimed_by_another_with_unknown_outcome() {
        OutboxClaim lapsed = given().claimed(ANN, "a");
        given().enqueued("b");
        given().letLeasesRunOut();

        ClaimResult result = given().store().claim(BOB, "", 10, LEASE);
        assertThat(result.leasesExpired()).isEqualTo(1);
        OutboxClaim taken = result.claims().stream()
                .filter(claim -> claim.entry().idempotencyKey().equals("a"))
                .findFirst()
                .orElseThrow();
        assertThat(taken.token()).isEqualTo(lapsed.token() + 1);
        assertThat(taken.attempt()).isEqualTo(2);
        assertThat(taken.outcomeUnknown()).isTrue();
        assertThat(result.claims()).hasSize(2).anyMatch(claim -> !claim.outcomeUnknown());
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void an_entry_that_expired_while_it_was_sent_is_given_to_another_when_the_lease_ran_out() {
        given().enqueued(messageBuilder("a")
                .expiresAt(given().in(Duration.ofSeconds(30)))
                .build());
        given().claim(ANN);
        given().letLeasesRunOut();
        assertThat(given().claim(BOB).outcomeUnknown()).isTrue();
    }

    @Test
    default void an_outcome_stays_unknown_until_a_settlement() {
        OutboxClaim first = given().claimed(ANN, "a");
        given().settle(ANN, unknownFailure(first.ref(), Duration.ZERO));
        OutboxClaim second = given().claim(ANN);
        assertThat(second.outcomeUnknown()).isTrue();
        given().settle(ANN, unknownFailure(second.ref(), Duration.ZERO));
        OutboxClaim third = given().claim(ANN);
        assertThat(third.outcomeUnknown()).isTrue();
        given().settle(ANN, failure(third.ref(), Duration.ZERO));
        assertThat(given().claim(ANN).outcomeUnknown()).isFalse();
    }

    @Test
    default void what_is_settled_or_parked_is_not_claimed_ever_again() {
        given().succeed(ANN, given().claimed(ANN, "a"));
        given().abort(ANN, given().claimed(ANN, "b"));
        given().park(ANN, given().claimed(ANN, "c"), false);
        given().park(ANN, given().claimed(ANN, "d"), true);
        given().pass(Duration.ofDays(400));
        assertThat(given().store().claim(BOB, "", 10, LEASE).isEmpty()).isTrue();
    }

    @Test
    default void concurrent_claims_get_each_entry_once() throws Exception {
        List<OutboxMessage> messages =
                IntStream.range(0, 63).mapToObj(i -> message("key " + i)).toList();
        given().committed(transaction -> given().outbox().enqueueAll(transaction, messages));

        assertThat(claimedByMany()).hasSize(63).doesNotHaveDuplicates();
    }

    @Test
    default void concurrent_claims_get_each_entry_with_an_expired_lease_once() throws Exception {
        List<OutboxMessage> messages =
                IntStream.range(0, 42).mapToObj(i -> message("key " + i)).toList();
        given().committed(transaction -> given().outbox().enqueueAll(transaction, messages));
        assertThat(given().claims(ANN)).hasSize(42);
        given().letLeasesRunOut();

        assertThat(claimedByMany()).hasSize(42).doesNotHaveDuplicates();
    }

    private List<String> claimedByMany() throws Exception {
        return given()
                .onThreads(6, () -> {
                    OutboxOwner owner = OutboxOwner.of("one of many");
                    List<String> keys = new ArrayList<>();
                    int misses = 0;
                    while (misses < 3 && keys.size() < 1_000) {
                        List<OutboxClaim> claims =
                                given().store().claim(owner, "", 7, LEASE).claims();
                        keys.addAll(keys(claims));
                        misses = claims.isEmpty() ? misses + 1 : 0;
                    }
                    return keys;
                })
                .stream()
                .flatMap(List::stream)
                .toList();
    }

    @Test
    default void claims_of_another_process_are_seen() {
        given().enqueued("a");
        Optional<OutboxClaim> claim = given().fixture().anotherStore().claim(BOB, "", 1, LEASE).claims().stream()
                .findFirst();
        assertThat(claim).isPresent();
        assertThat(given().claims(ANN)).isEmpty();
        given().succeed(BOB, claim.orElseThrow());
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
    }
}

package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.keys;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of destinations, and of entries that wait for their time: what a sender of a worker gets, and when. */
interface DestinationContract<T> extends OutboxScenario.Stage<T> {

    private long enqueued(String key, String destination) {
        return given().enqueued(messageBuilder(key).destination(destination).build());
    }

    private long ordered(String key, String destination, String orderingKey) {
        return given().enqueued(messageBuilder(key)
                .destination(destination)
                .orderingKey(orderingKey)
                .build());
    }

    private ClaimResult claimFor(OutboxOwner owner, String destination) {
        return given().store().claim(owner, destination, 100, LEASE);
    }

    private List<String> keysFor(String destination) {
        return keys(claimFor(ANN, destination).claims());
    }

    @Test
    default void a_claim_gets_the_entries_of_its_destination() {
        given().enqueued("plain");
        given().enqueued(messageBuilder("letter")
                .destination("mail")
                .payloadType("Letter")
                .build());
        enqueued("parcel", "post");
        List<OutboxClaim> mail = claimFor(ANN, "mail").claims();
        assertThat(keys(mail)).containsExactly("letter");
        OutboxEntry letter = mail.getFirst().entry();
        assertThat(letter.destination()).isEqualTo("mail");
        assertThat(letter.payloadType()).contains("Letter");
        assertThat(keysFor("")).containsExactly("plain");
        assertThat(keysFor("none")).isEmpty();
        assertThat(keysFor("post")).containsExactly("parcel");
    }

    @Test
    default void an_entry_whose_lease_expired_is_claimed_for_its_destination_again() {
        enqueued("letter", "mail");
        assertThat(keysFor("mail")).containsExactly("letter");
        given().letLeasesRunOut();
        assertThat(keysFor("")).isEmpty();
        ClaimResult again = claimFor(BOB, "mail");
        assertThat(again.leasesExpired()).isEqualTo(1);
        assertThat(keys(again.claims())).containsExactly("letter");
    }

    @Test
    default void entries_of_an_ordering_key_wait_for_those_of_their_destination_alone() {
        long first = ordered("1", "mail", "k");
        long other = ordered("2", "post", "k");
        long second = ordered("3", "mail", "k");
        OutboxClaim claim = given().claimOrdered(ANN, first).getFirst();
        assertThat(claim.entry().destination()).isEqualTo("mail");
        assertThat(keys(given().claimOrdered(ANN, second, other))).containsExactly("2");
        given().succeed(ANN, claim);
        assertThat(keys(given().claimOrdered(ANN, second))).containsExactly("3");
    }

    @Test
    default void entries_with_an_ordering_key_are_read_by_destination() {
        long first = ordered("1", "mail", "k");
        long other = ordered("2", "post", "k");
        long plain = given().ordered("3", "k");
        Map<Integer, Long> begin = Map.of(OutboxSegmentLease.segmentOf("k"), 0L);
        assertThat(ids(given().store().ordered("mail", begin, 10))).containsExactly(first);
        assertThat(ids(given().store().ordered("", begin, 10))).containsExactly(plain);
        assertThat(ids(given().store().ordered("post", "k", 10))).containsExactly(other);
        assertThat(ids(given().store().ordered("none", "k", 10))).isEmpty();
    }

    private static List<Long> ids(List<OrderedEntry> entries) {
        return entries.stream().map(OrderedEntry::id).toList();
    }

    @Test
    default void the_destinations_are_those_of_unsettled_entries() {
        assertThat(destinations()).isEmpty();
        enqueued("letter", "mail");
        enqueued("letter 2", "mail");
        enqueued("parcel", "post");
        ordered("flower", "shop", "k");
        assertThat(destinations()).containsExactlyInAnyOrder("mail", "post", "shop");
        given().enqueued("plain");
        List<OutboxClaim> mail = claimFor(ANN, "mail").claims();
        assertThat(destinations()).as("sending").containsExactlyInAnyOrder("", "mail", "post", "shop");
        mail.forEach(claim -> given().succeed(ANN, claim));
        assertThat(destinations()).containsExactlyInAnyOrder("", "post", "shop");
    }

    private Set<String> destinations() {
        return given().store().destinations();
    }

    @Test
    default void a_delay_begins_with_the_enqueue_by_the_clock_of_the_store() {
        given().enqueued(messageBuilder("later")
                .afterDelay(Duration.ofSeconds(30))
                .build());
        given().enqueued(messageBuilder("much later")
                .afterDelay(Duration.ofSeconds(30))
                .notBefore(given().in(Duration.ofMinutes(2)))
                .build());
        assertThat(keysFor("")).isEmpty();
        given().pass(Duration.ofSeconds(31));
        assertThat(keysFor("")).containsExactly("later");
        given().pass(Duration.ofMinutes(2));
        assertThat(claimFor(BOB, "").claims())
                .extracting(claim -> claim.entry().idempotencyKey())
                .contains("much later");
    }

    @Test
    default void the_next_due_entry_of_a_destination_is_known() {
        given().enqueued("now");
        given().enqueued(messageBuilder("later")
                .destination("mail")
                .afterDelay(Duration.ofSeconds(30))
                .build());
        given().enqueued(messageBuilder("much later")
                .destination("mail")
                .afterDelay(Duration.ofHours(1))
                .build());
        ordered("in order", "mail", "k");
        assertThat(given().store().nextDue("")).isEmpty();
        assertThat(given().store().nextDue("mail").orElseThrow())
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
        given().pass(Duration.ofSeconds(31));
        assertThat(given().store().nextDue("mail").orElseThrow()).isBetween(Duration.ofMinutes(1), Duration.ofHours(1));
    }

    @Test
    default void a_parked_entry_is_not_awaited() {
        given().park(ANN, given().claimed(ANN, "parked"), false);
        assertThat(given().store().nextDue("")).isEmpty();
    }
}

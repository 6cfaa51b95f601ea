package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.DELAY;
import static dev.spream.testkit.outbox.OutboxScenario.LEASE;
import static dev.spream.testkit.outbox.OutboxScenario.json;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of the queries of operators. */
interface InspectionContract<T> extends OperationsStage<T> {

    @Test
    default void an_empty_outbox_has_nothing_to_show() {
        OutboxStats stats = operations().stats();
        assertThat(stats.entries())
                .hasSize(5)
                .allSatisfy((status, count) -> assertThat(count).isZero());
        assertThat(stats.due()).isZero();
        assertThat(stats.oldestDue()).isEmpty();
        assertThat(stats.lag()).isZero();
        assertThat(stats.leasesExpired()).isZero();
        assertThat(stats.parked()).isZero();
        assertThat(stats.parkedUnknown()).isZero();
        assertThat(operations().list(all())).isEmpty();
        assertThat(operations().find(1)).isEmpty();
        assertThat(operations().find("a")).isEmpty();
        assertThat(operations().payload(1)).isEmpty();
        assertThat(operations().audit(1)).isEmpty();
    }

    @Test
    default void the_numbers_are_those_of_the_entries() {
        given().succeed(ANN, given().claimed(ANN, "succeeded"));
        given().abort(ANN, given().claimed(ANN, "aborted"));
        given().park(ANN, given().claimed(ANN, "parked"), false);
        given().park(ANN, given().claimed(ANN, "unknown"), true);
        given().claimed(ANN, "lapsed");
        given().letLeasesRunOut();
        given().enqueued("sending");
        given().store().claim(ANN, "", 1, LEASE);
        given().enqueued(messageBuilder("later")
                .notBefore(given().in(Duration.ofHours(1)))
                .build());
        given().enqueued(messageBuilder("expired")
                .expiresAt(given().in(Duration.ofSeconds(-1)))
                .build());

        OutboxStats stats = operations().stats();
        assertThat(stats.entries().getOrDefault(OutboxStatus.SUCCEEDED, -1L)).isEqualTo(1);
        assertThat(stats.entries().getOrDefault(OutboxStatus.ABORTED, -1L)).isEqualTo(1);
        assertThat(stats.entries().getOrDefault(OutboxStatus.FAILED, -1L)).isEqualTo(2);
        assertThat(stats.entries().getOrDefault(OutboxStatus.SENDING, -1L)
                        + stats.entries().getOrDefault(OutboxStatus.PENDING, -1L))
                .isEqualTo(4);
        assertThat(stats.parked()).isEqualTo(2);
        assertThat(stats.parkedUnknown()).isEqualTo(1);
        assertThat(stats.due())
                .as("one of the two that were claimed or to be claimed")
                .isEqualTo(1);
    }

    @Test
    default void the_oldest_due_entry_shows_the_lag_of_workers() {
        given().enqueued("older");
        given().pass(Duration.ofMinutes(10));
        given().enqueued("newer");
        OutboxStats stats = operations().stats();
        assertThat(stats.due()).isEqualTo(2);
        assertThat(stats.lag()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
    }

    @Test
    default void leases_that_ran_out_are_counted() {
        given().claimed(ANN, "a");
        assertThat(operations().stats().leasesExpired()).isZero();
        given().letLeasesRunOut();
        OutboxStats stats = operations().stats();
        assertThat(stats.leasesExpired()).isEqualTo(1);
        assertThat(stats.due()).isEqualTo(1);
        assertThat(stats.entries().getOrDefault(OutboxStatus.SENDING, -1L)).isEqualTo(1);
    }

    @Test
    default void a_pending_entry_is_shown_with_all_but_its_payload() {
        Instant notBefore = given().in(Duration.ofMinutes(1));
        Instant expiresAt = given().in(Duration.ofHours(1));
        long id = given().enqueued(messageBuilder("a")
                .orderingKey("k")
                .notBefore(notBefore)
                .expiresAt(expiresAt)
                .build());
        OutboxRow row = operations().find(id).orElseThrow();
        assertThat(operations().find("a")).contains(row);
        assertThat(operations().list(all())).containsExactly(row);
        assertThat(row.id()).isEqualTo(id);
        assertThat(row.idempotencyKey()).isEqualTo("a");
        assertThat(row.generation()).isEqualTo(1);
        assertThat(row.requestDigest()).isEqualTo(message("a").requestDigest());
        assertThat(row.status()).isEqualTo(OutboxStatus.PENDING);
        assertThat(row.attempts()).isZero();
        assertThat(row.lastError()).isEmpty();
        assertThat(row.lastErrorMessage()).isEmpty();
        assertThat(row.outcomeUnknown()).isFalse();
        assertThat(row.parked()).isFalse();
        assertThat(row.orderingKey()).contains("k");
        assertThat(row.nextRunAt()).contains(notBefore);
        assertThat(row.owner()).isEmpty();
        assertThat(row.leaseUntil()).isEmpty();
        assertThat(row.expiresAt()).contains(expiresAt);
        assertThat(row.updatedAt()).isAfterOrEqualTo(row.createdAt());
        assertThat(row.ledger()).contains(given().ledgerEntry("a"));
    }

    @Test
    default void an_entry_that_is_sent_is_shown_with_its_worker_and_lease() {
        OutboxClaim claim = given().claimed(ANN, "a");
        OutboxRow row = row("a");
        assertThat(row.status()).isEqualTo(OutboxStatus.SENDING);
        assertThat(row.owner()).contains(ANN.toString());
        Instant leaseUntil = claim.claimedAt().plus(LEASE);
        assertThat(row.leaseUntil().orElseThrow()).isBetween(leaseUntil, leaseUntil.plusSeconds(1));
        assertThat(row.attempts()).isEqualTo(1);
        assertThat(row.nextRunAt()).isEmpty();
    }

    @Test
    default void a_failed_entry_is_shown_with_what_went_wrong_and_when_it_is_due() {
        given().fail(ANN, given().claimed(ANN, "a"));
        OutboxRow row = row("a");
        assertThat(row.status()).isEqualTo(OutboxStatus.FAILED);
        assertThat(row.lastError()).contains(ReasonCode.UNAVAILABLE);
        assertThat(row.lastErrorMessage()).contains("down");
        assertThat(row.owner()).isEmpty();
        assertThat(row.leaseUntil()).isEmpty();
        Instant now = given().fixture().now();
        assertThat(row.nextRunAt().orElseThrow()).isBetween(now, now.plus(DELAY));
    }

    @Test
    default void a_parked_entry_is_shown_as_such() {
        given().park(ANN, given().claimed(ANN, "a"), true);
        OutboxRow row = row("a");
        assertThat(row.parked()).isTrue();
        assertThat(row.outcomeUnknown()).isTrue();
        assertThat(row.nextRunAt()).isEmpty();
        assertThat(row.lastError()).contains(ReasonCode.OUTCOME_UNKNOWN);
    }

    @Test
    default void a_settled_entry_is_shown_with_its_answer() {
        given().abort(ANN, given().claimed(ANN, "a"));
        OutboxRow row = row("a");
        assertThat(row.status()).isEqualTo(OutboxStatus.ABORTED);
        assertThat(row.lastError()).contains(ReasonCode.REJECTED);
        assertThat(row.lastErrorMessage()).contains("no");
        assertThat(row.parked()).isFalse();
        assertThat(row.outcomeUnknown()).isFalse();
        assertThat(row.nextRunAt()).isEmpty();
        assertThat(row.owner()).isEmpty();
        assertThat(row.ledger().flatMap(LedgerEntry::result)).contains(OutboxScenario.REJECTED);
    }

    @Test
    default void conflicts_and_expiries_are_shown_with_their_reasons() {
        given().enqueued("conflict");
        given().fixture().changeLedgerDigest("conflict", "another");
        given().claims(ANN);
        assertThat(row("conflict").lastError()).contains(ReasonCode.IDEMPOTENCY_CONFLICT);
        given().enqueued(messageBuilder("expired")
                .expiresAt(given().in(Duration.ofSeconds(-1)))
                .build());
        given().store().expire(10);
        assertThat(row("expired").lastError()).contains(ReasonCode.EXPIRED);
    }

    @Test
    default void long_messages_are_cut() {
        OutboxClaim claim = given().claimed(ANN, "a");
        given().settle(
                        ANN,
                        new Settlement.Failed(
                                claim.ref(), ReasonCode.TIMEOUT, "x".repeat(10_000), Duration.ZERO, false));
        assertThat(row("a").lastErrorMessage().orElseThrow()).startsWith("xxxx").hasSizeLessThanOrEqualTo(1_000);
    }

    @Test
    default void the_payload_is_shown_on_request() {
        long id = given().enqueued("a");
        assertThat(json(operations().payload(id).orElseThrow())).isEqualTo("{\"of\":\"a\"}");
    }

    @Test
    default void entries_are_listed_by_what_they_are() {
        given().succeed(ANN, given().claimed(ANN, "succeeded"));
        given().abort(ANN, given().claimed(ANN, "aborted"));
        given().park(ANN, given().claimed(ANN, "parked"), false);
        given().fail(ANN, given().claimed(ANN, "failed"));
        given().claimed(ANN, "sending");
        given().ordered("ordered", "k");

        assertThat(keys(all())).containsExactly("succeeded", "aborted", "parked", "failed", "sending", "ordered");
        assertThat(keys(filter(Set.of(OutboxStatus.FAILED), false, null, null))).containsExactly("parked", "failed");
        assertThat(keys(filter(Set.of(OutboxStatus.SENDING, OutboxStatus.SUCCEEDED), false, null, null)))
                .containsExactly("succeeded", "sending");
        assertThat(keys(filter(Set.of(), true, null, null))).containsExactly("parked");
        assertThat(keys(filter(Set.of(), false, "k", null))).containsExactly("ordered");
        assertThat(keys(filter(Set.of(), false, null, ReasonCode.UNAVAILABLE))).containsExactly("failed");
        assertThat(keys(filter(Set.of(OutboxStatus.ABORTED), false, null, ReasonCode.UNAVAILABLE)))
                .isEmpty();
        assertThat(keys(filter(Set.of(OutboxStatus.ABORTED), true, null, null))).isEmpty();
    }

    @Test
    default void entries_are_listed_by_destination() {
        long id = given().enqueued(messageBuilder("letter")
                .destination("mail")
                .payloadType("Letter")
                .build());
        given().enqueued("plain");
        OutboxFilter mail = new OutboxFilter(Set.of(), false, "mail", Optional.empty(), Optional.empty(), 0, 100);
        assertThat(keys(mail)).containsExactly("letter");
        OutboxRow row = operations().find(id).orElseThrow();
        assertThat(row.destination()).isEqualTo("mail");
        assertThat(row.payloadType()).contains("Letter");
        assertThat(row("plain").destination()).isEmpty();
    }

    @Test
    default void entries_are_listed_page_by_page() {
        given().enqueuedAll("a", "b", "c", "d", "e");
        assertThat(keys(page(0, 2))).containsExactly("a", "b");
        assertThat(keys(page(id("b"), 2))).containsExactly("c", "d");
        assertThat(keys(page(id("d"), 2))).containsExactly("e");
        assertThat(keys(page(id("e"), 2))).isEmpty();
    }

    private List<String> keys(OutboxFilter filter) {
        return operations().list(filter).stream().map(OutboxRow::idempotencyKey).toList();
    }

    private static OutboxFilter all() {
        return filter(Set.of(), false, null, null);
    }

    private static OutboxFilter page(long afterId, int limit) {
        return new OutboxFilter(Set.of(), false, "", Optional.empty(), Optional.empty(), afterId, limit);
    }

    private static OutboxFilter filter(
            Set<OutboxStatus> statuses, boolean parkedOnly, @Nullable String orderingKey, @Nullable ReasonCode reason) {
        return new OutboxFilter(
                statuses, parkedOnly, "", Optional.ofNullable(orderingKey), Optional.ofNullable(reason), 0, 100);
    }

    @Test
    default void closing_twice_is_harmless() {
        operations().close();
        operations().close();
        assertThat(given().store().expire(1)).isZero();
    }
}

package dev.spream.storage.jdbc.outbox;

import static dev.spream.storage.jdbc.outbox.TestOutbox.ANN;
import static dev.spream.storage.jdbc.outbox.TestOutbox.BOB;
import static dev.spream.storage.jdbc.outbox.TestOutbox.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the PostgreSQL outbox beyond the contract, and an end-to-end test. */
@Timeout(120)
final class PostgresOutboxIT {
    private final TestOutbox test = new TestOutbox();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void an_entry_is_enqueued_claimed_renewed_and_settled_in_both_tables() throws SQLException {
        EnqueueResult enqueued = test.enqueue("k").getFirst();
        OutboxClaim claim = test.store.claim(ANN, "", 32, LEASE).claims().stream()
                .findFirst()
                .orElseThrow();

        assertThat(enqueued).isEqualTo(new EnqueueResult.Enqueued(claim.entry().id()));
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(test.store.renew(ANN, List.of(claim.ref()), LEASE)).isEmpty();
        assertThat(test.store.renew(BOB, List.of(claim.ref()), LEASE)).containsExactly(claim.ref());
        Settlement settlement = new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded("{\"b\":1, \"a\":2}"));
        assertThat(test.store.settle(ANN, List.of(settlement))).isEmpty();
        assertThat(test.store.settle(ANN, List.of(settlement)))
                .as("a repeated settlement")
                .isEmpty();
        assertThat(test.rows("SELECT status, attempts, locked_by, lease_until FROM spream.outbox_orders"))
                .containsExactly("succeeded,1,null,null");
        assertThat(test.ledger.find("k"))
                .hasValueSatisfying(entry -> assertThat(entry.result())
                        .as("the answer, as it came")
                        .contains(LedgerResult.succeeded("{\"b\":1, \"a\":2}")));
    }

    @Test
    void a_batch_ends_claims_in_every_way_at_once() throws SQLException {
        test.enqueue("a", "b", "c", "d", "e");
        List<OutboxClaim> claims = test.store.claim(ANN, "", 32, LEASE).claims();

        assertThat(claims).extracting(claim -> claim.entry().idempotencyKey()).containsExactly("a", "b", "c", "d", "e");
        assertThat(test.store.settle(
                        ANN,
                        List.of(
                                new Settlement.Released(claims.get(4).ref()),
                                new Settlement.Succeeded(claims.get(0).ref(), LedgerResult.succeeded()),
                                new Settlement.Failed(
                                        claims.get(1).ref(),
                                        ReasonCode.TIMEOUT,
                                        "late\0r",
                                        Duration.ofSeconds(5),
                                        true),
                                new Settlement.Parked(claims.get(2).ref(), ReasonCode.OUTCOME_UNKNOWN, "?", true),
                                new Settlement.Aborted(
                                        claims.get(3).ref(), LedgerResult.failed(ReasonCode.REJECTED), "no"))))
                .isEmpty();

        assertThat(test.rows("""
                        SELECT o.idempotency_key, o.status, o.attempts, o.outcome_unknown, o.last_error_code, o.last_error_msg,
                            o.next_run_at = 'infinity', o.next_run_at > clock_timestamp(), l.status, l.http_status, l.reason_code
                        FROM spream.outbox_orders o JOIN spream.idempo_ledger l USING (idempotency_key) ORDER BY 1"""))
                .containsExactly(
                        "a,succeeded,1,f,null,null,f,f,succeeded,200,null",
                        "b,failed,1,t,TIMEOUT,later,f,t,in_progress,null,null",
                        "c,failed,1,t,OUTCOME_UNKNOWN,?,t,t,in_progress,null,null",
                        "d,aborted,1,f,REJECTED,no,f,f,failed,422,REJECTED",
                        "e,pending,0,f,null,null,f,f,in_progress,null,null");
    }

    @Test
    void ordered_entries_are_claimed_one_at_a_time_by_the_owner_of_their_segment() throws SQLException {
        test.enqueue(ordered("1"), ordered("2"));
        OutboxSegmentShare share = test.store.holdSegments(ANN, Set.of(), LEASE);
        OutboxSegmentLease segment = share.held().get(OutboxSegmentLease.segmentOf("customer"));
        List<OrderedEntry> ahead = test.store.ordered("", Map.of(segment.segment(), 0L), 10);
        List<Long> ids = ahead.stream().map(OrderedEntry::id).toList();

        assertThat(share.held()).hasSize(OutboxSegmentLease.SEGMENTS);
        assertThat(ahead).hasSize(2).isEqualTo(test.store.ordered("", "customer", 10));
        assertThat(test.store.claim(ANN, "", 10, LEASE).claims())
                .as("those without a key")
                .isEmpty();
        assertThat(test.store.claimOrdered(BOB, List.of(segment), ids, LEASE).isEmpty())
                .isTrue();
        OutboxClaim head = test.store.claimOrdered(ANN, List.of(segment), ids, LEASE).claims().stream()
                .findFirst()
                .orElseThrow();
        assertThat(test.store.claimOrdered(ANN, List.of(segment), ids, LEASE).isEmpty())
                .isTrue();
        test.store.settle(ANN, List.of(new Settlement.Succeeded(head.ref(), LedgerResult.succeeded())));
        assertThat(test.store.claimOrdered(ANN, List.of(segment), ids, LEASE).claims())
                .singleElement()
                .extracting(claim -> claim.entry().idempotencyKey())
                .isEqualTo("2");
        test.store.releaseSegments(ANN);
        assertThat(test.store.holdSegments(BOB, Set.of(), LEASE).held())
                .allMatch(held -> held.epoch() == segment.epoch() + 1)
                .hasSize(OutboxSegmentLease.SEGMENTS);
    }

    private static OutboxMessage ordered(String key) {
        return OutboxMessage.builder(key, "{}").orderingKey("customer").build();
    }

    @Test
    void an_expired_entry_is_aborted_and_one_of_unknown_outcome_is_parked() throws SQLException {
        Instant soon = Instant.now().plus(1, ChronoUnit.HOURS);
        test.enqueue(
                OutboxMessage.builder("old", "{}").expiresAt(soon).build(),
                OutboxMessage.builder("unknown", "{}").expiresAt(soon).build(),
                OutboxMessage.builder("told", "{}").expiresAt(soon).build(),
                OutboxMessage.of("fresh", "{}"));
        test.execute(
                "UPDATE spream.outbox_orders SET expires_at = now() - interval '1 s' WHERE expires_at IS NOT NULL",
                "UPDATE spream.outbox_orders SET outcome_unknown = true WHERE idempotency_key = 'unknown'",
                "UPDATE spream.idempo_ledger SET status = 'succeeded' WHERE idempotency_key = 'told'");

        assertThat(test.store.expire(10)).isEqualTo(3);
        assertThat(test.store.expire(10)).isZero();
        assertThat(test.rows("""
                        SELECT o.idempotency_key, o.status, o.last_error_code, o.next_run_at = 'infinity', l.status, l.http_status
                        FROM spream.outbox_orders o JOIN spream.idempo_ledger l USING (idempotency_key) ORDER BY o.id"""))
                .containsExactly(
                        "old,aborted,EXPIRED,f,failed,410",
                        "unknown,failed,EXPIRED,t,in_progress,null",
                        "told,succeeded,null,f,succeeded,null",
                        "fresh,pending,null,f,in_progress,null");
    }

    @Test
    void an_entry_inserted_without_the_ledger_is_sent_and_its_key_is_recorded() throws SQLException {
        test.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest)
                VALUES ('theirs', '{}', 'd'), ('other', '{}', 'd')""");

        assertThat(test.enqueue(OutboxMessage.builder("other", "{}")
                                .requestDigest("e")
                                .build())
                        .getFirst())
                .isInstanceOf(EnqueueResult.Conflict.class);
        ClaimResult result = test.store.claim(ANN, "", 10, LEASE);
        assertThat(result.claims()).hasSize(2);
        assertThat(test.ledger.find("theirs"))
                .get()
                .extracting(LedgerEntry::status, LedgerEntry::requestDigest)
                .containsExactly(LedgerStatus.IN_PROGRESS, "d");
    }

    @Test
    void a_connection_in_auto_commit_mode_is_refused() throws SQLException {
        try (Connection connection = test.dataSource().getConnection()) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> test.outbox.enqueue(connection, OutboxMessage.of("k", "{}")))
                    .withMessageContaining("setAutoCommit(false)");
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> test.ledger.claim(connection, "k", "d"))
                    .withMessageContaining("setAutoCommit(false)");
        }
        assertThat(test.rows("SELECT FROM spream.idempo_ledger")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "{\"secret\":", "\"secret\\u0000\"", "\"secret\\ud800\"", "{\"secret\":1} {}"})
    void a_payload_that_postgresql_cannot_hold_is_refused_and_not_shown(String payload) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> test.enqueue(OutboxMessage.of("k", payload)))
                .withMessageContaining("JSON")
                .withNoCause()
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "accepted", "{\"a\":", "1,\"b\":2", "\"\\u0000\"", "a\0b"})
    void an_answer_that_is_no_json_settles_its_entry_all_the_same(String answer) throws SQLException {
        test.enqueue("k");
        OutboxClaim claim = test.store.claim(ANN, "", 1, LEASE).claims().getFirst();

        assertThat(test.store.settle(
                        ANN, List.of(new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded(answer)))))
                .isEmpty();
        assertThat(test.ledger
                        .find("k")
                        .flatMap(LedgerEntry::result)
                        .flatMap(LedgerResult::responsePayload)
                        .orElseThrow())
                .startsWith("\"")
                .endsWith("\"");
    }

    @Test
    void keys_of_a_batch_that_are_there_twice_or_taken_are_told_apart() throws SQLException {
        test.enqueue("taken", "settled");
        OutboxClaim claim = test.store.claim(ANN, "", 10, LEASE).claims().getLast();
        test.store.settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded())));

        List<EnqueueResult> results = test.enqueue(
                OutboxMessage.of("new", "1"),
                OutboxMessage.of("taken", "{\"order\":\"taken\"}"),
                OutboxMessage.of("settled", "{\"order\":\"settled\"}"),
                OutboxMessage.of("settled", "other"),
                OutboxMessage.of("new", "1"),
                OutboxMessage.of("new", "2"));

        assertThat(results)
                .extracting(Object::getClass)
                .extracting(Class::getSimpleName)
                .containsExactly("Enqueued", "InProgress", "Settled", "Conflict", "InProgress", "Conflict");
        assertThat(test.rows("SELECT count(*) FROM spream.outbox_orders")).containsExactly("3");
    }

    @Test
    void old_requests_are_forgotten_but_for_those_that_the_outbox_has() throws SQLException {
        test.enqueue("kept");
        OutboxClaim claim = test.store.claim(ANN, "", 10, LEASE).claims().getFirst();
        test.store.settle(ANN, List.of(new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded())));
        test.inTransaction(connection -> test.ledger.claim(connection, "open", "d"));
        test.inTransaction(connection -> {
            test.ledger.claim(connection, "failed", "d");
            test.ledger.settle(connection, "failed", 1, "d", LedgerResult.failed(ReasonCode.REJECTED));
            assertThat(test.ledger.reopen(connection, "failed")).isEqualTo(Optional.of(2));
            assertThat(test.ledger.reopen(connection, "failed")).isEmpty();
            return test.ledger.settle(connection, "failed", 2, "d", LedgerResult.succeeded());
        });

        assertThat(test.ledger.prune(Duration.ofDays(1), 10)).isZero();
        test.execute("UPDATE spream.idempo_ledger SET created_at = '2000-01-01', settled_at = '2000-01-02'");
        test.execute("UPDATE spream.idempo_ledger SET settled_at = NULL WHERE status = 'in_progress'");
        assertThat(test.ledger.prune(Duration.ofDays(1), 10)).isEqualTo(1);
        assertThat(test.rows("SELECT idempotency_key FROM spream.idempo_ledger ORDER BY 1"))
                .containsExactly("kept", "open");
    }
}

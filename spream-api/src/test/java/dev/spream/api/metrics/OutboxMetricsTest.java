package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class OutboxMetricsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration TOOK = Duration.ofMillis(3);
    private static final SendOutcome TAKEN = new SendOutcome.Succeeded(LedgerResult.succeeded());

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final OutboxMetrics metrics = OutboxMetrics.of(registry, "orders");

    @Test
    void all_meters_are_there_from_the_beginning_and_zero_or_not_known() {
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags()).contains(Tag.of("outbox", "orders")))
                .allSatisfy(meter -> assertThat(meter.measure())
                        .allSatisfy(value -> assertThat(value.getValue()).isIn(0.0, Double.NaN)));
        assertThat(registry.getMeters().stream().map(meter -> meter.getId().getName()))
                .contains(
                        "outbox.claimed",
                        "outbox.processed",
                        "outbox.retry",
                        "outbox.lock.lease.expired",
                        "outbox.latency");
    }

    @Test
    void a_claim_counts_what_it_brought() {
        metrics.claimed(new ClaimResult(List.of(claim(1, 1), claim(2, 1)), 1, 3, 4), TOOK);
        assertThat(count("outbox.claimed")).isEqualTo(2);
        assertThat(count("outbox.lock.lease.expired")).isEqualTo(1);
        assertThat(count("outbox.synchronised")).isEqualTo(3);
        assertThat(count("outbox.conflicts")).isEqualTo(4);
        assertThat(millis("claim")).isEqualTo(3);
    }

    @Test
    void each_settlement_has_its_outcome() {
        OutboxClaim claim = claim(1, 1);
        metrics.settled(claim, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()), TOOK);
        metrics.settled(claim, failed(claim), TOOK);
        metrics.settled(claim, new Settlement.Parked(claim.ref(), ReasonCode.TIMEOUT, "", true), TOOK);
        metrics.settled(claim, aborted(claim), TOOK);
        metrics.settled(claim, new Settlement.Released(claim.ref()), TOOK);
        for (String outcome : List.of("succeeded", "failed", "parked", "aborted", "released")) {
            assertThat(count("outbox.processed", "outcome", outcome))
                    .as(outcome)
                    .isEqualTo(1);
        }
    }

    @Test
    void retries_are_told_apart_by_their_attempt_up_to_a_bound() {
        for (int attempt : List.of(0, 1, 2, 5, 6, 7, 100)) {
            metrics.settled(claim(1, attempt), failed(claim(1, attempt)), TOOK);
        }
        assertThat(count("outbox.retry", "attempt", "1")).isEqualTo(2);
        assertThat(count("outbox.retry", "attempt", "2")).isEqualTo(1);
        assertThat(count("outbox.retry", "attempt", "3")).isZero();
        assertThat(count("outbox.retry", "attempt", "5")).isEqualTo(1);
        assertThat(count("outbox.retry", "attempt", "6+")).isEqualTo(3);
    }

    @Test
    void calls_are_timed_and_counted_while_they_last() {
        metrics.sending(claim(1, 1));
        metrics.sending(claim(2, 2));
        assertThat(gauge("outbox.sending")).isEqualTo(2);
        metrics.sent(claim(1, 1), TAKEN, false, Duration.ofMillis(5));
        metrics.sent(claim(2, 2), TAKEN, true, Duration.ofMillis(7));
        metrics.committed(2, Duration.ofMillis(11));
        assertThat(gauge("outbox.sending")).isZero();
        assertThat(millis("send")).isEqualTo(5);
        assertThat(millis("query")).isEqualTo(7);
        assertThat(millis("commit")).isEqualTo(11);
    }

    @Test
    void a_lost_lease_is_of_the_call_or_of_the_settlement() {
        metrics.sending(claim(1, 1));
        metrics.leaseLost(claim(1, 1));
        metrics.sent(claim(1, 1), TAKEN, false, TOOK); // the call ends all the same
        metrics.sending(claim(2, 1));
        metrics.sent(claim(2, 1), TAKEN, false, TOOK);
        metrics.leaseLost(claim(2, 1));
        metrics.leaseLost(claim(3, 1)); // before it was tried
        assertThat(count("outbox.leases.lost", "phase", "sending")).isEqualTo(2);
        assertThat(count("outbox.leases.lost", "phase", "settling")).isEqualTo(1);
    }

    @Test
    void the_breaker_is_open_until_it_is_closed() {
        metrics.breakerOpened("", 20, Duration.ofSeconds(10));
        metrics.breakerOpened("", 20, Duration.ofSeconds(10));
        assertThat(gauge("outbox.breaker.open")).isEqualTo(1);
        metrics.breakerClosed("");
        assertThat(gauge("outbox.breaker.open")).isZero();
        assertThat(count("outbox.breaker.opened")).isEqualTo(2);
    }

    @Test
    void expired_entries_and_failures_of_the_store_are_counted() {
        metrics.expired(3);
        metrics.storeFailed(new StorageException("down", true, null));
        assertThat(count("outbox.expired")).isEqualTo(3);
        assertThat(count("outbox.store.failures")).isEqualTo(1);
    }

    @Test
    void rows_that_were_removed_are_counted_by_what_they_were_of() {
        metrics.removed(OutboxHistory.ENTRIES, 500);
        metrics.removed(OutboxHistory.ENTRIES, 7);
        metrics.removed(OutboxHistory.AUDIT, 2);
        assertThat(count("outbox.removed", "history", "entries")).isEqualTo(507);
        assertThat(count("outbox.removed", "history", "ledger")).isZero();
        assertThat(count("outbox.removed", "history", "audit")).isEqualTo(2);
    }

    @Test
    void the_gauges_of_the_outbox_have_values_after_a_sample() {
        assertThat(gauge("outbox.lag")).isNaN();
        metrics.sampled(new OutboxStats(
                NOW,
                Map.of(OutboxStatus.PENDING, 7L, OutboxStatus.ABORTED, 2L),
                5,
                Optional.of(NOW.minusMillis(90_500)),
                1,
                4,
                3,
                Set.of(),
                Set.of()));
        assertThat(gauge("outbox.lag")).isEqualTo(90.5);
        assertThat(gauge("outbox.due")).isEqualTo(5);
        assertThat(gauge("outbox.parked")).isEqualTo(4);
        assertThat(gauge("outbox.parked.unknown")).isEqualTo(3);
        assertThat(gauge("outbox.stranded")).isEqualTo(1);
        assertThat(registry.get("outbox.entries")
                        .tag("status", "pending")
                        .gauge()
                        .value())
                .isEqualTo(7);
        assertThat(registry.get("outbox.entries")
                        .tag("status", "failed")
                        .gauge()
                        .value())
                .isZero();
    }

    @Test
    void gauges_keep_what_was_sampled_last_and_say_how_old_it_is() {
        AtomicLong nanos = new AtomicLong(7);
        SimpleMeterRegistry driven = new SimpleMeterRegistry(SimpleConfig.DEFAULT, new Clock() {
            @Override
            public long wallTime() {
                return 0;
            }

            @Override
            public long monotonicTime() {
                return nanos.get();
            }
        });
        OutboxMetrics sampled = OutboxMetrics.of(driven, "orders");
        assertThat(driven.get("outbox.sample.age").gauge().value()).isNaN();
        assertThat(driven.get("outbox.due").gauge().value()).isNaN();
        OutboxStats stats = new OutboxStats(Instant.EPOCH, Map.of(), 3, Optional.empty(), 0, 0, 0, Set.of(), Set.of());
        sampled.sampled(stats);
        nanos.addAndGet(Duration.ofSeconds(90).toNanos());
        assertThat(driven.get("outbox.due").gauge().value()).isEqualTo(3);
        assertThat(driven.get("outbox.sample.age").gauge().value()).isEqualTo(90);
        sampled.sampled(stats);
        assertThat(driven.get("outbox.sample.age").gauge().value()).isZero();
    }

    @Test
    void two_outboxes_share_a_registry() {
        OutboxMetrics other = OutboxMetrics.of(registry, "mails");
        other.expired(2);
        metrics.expired(1);
        assertThat(registry.getMeters().stream().map(Meter::getId)).doesNotHaveDuplicates();
        assertThat(registry.get("outbox.expired")
                        .tag("outbox", "mails")
                        .counter()
                        .count())
                .isEqualTo(2);
    }

    private static Settlement failed(OutboxClaim claim) {
        return new Settlement.Failed(claim.ref(), ReasonCode.UNAVAILABLE, "", Duration.ofSeconds(5), false);
    }

    private static Settlement aborted(OutboxClaim claim) {
        return new Settlement.Aborted(claim.ref(), LedgerResult.failed(ReasonCode.REJECTED), "");
    }

    private static OutboxClaim claim(long id, int attempt) {
        OutboxEntry entry = new OutboxEntry(
                id,
                "order-" + id,
                1,
                "sha256:00",
                "{}",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                NOW,
                Optional.empty());
        return new OutboxClaim(entry, 1, attempt, false, NOW);
    }

    private double count(String name, String... tags) {
        return registry.get(name).tag("outbox", "orders").tags(tags).counter().count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double millis(String phase) {
        return registry.get("outbox.latency").tag("phase", phase).timer().totalTime(TimeUnit.MILLISECONDS);
    }
}

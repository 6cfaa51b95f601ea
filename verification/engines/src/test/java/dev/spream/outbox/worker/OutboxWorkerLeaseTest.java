package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.worker.RecordingOutboxListener.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leases of entries that are being sent: renewed, lost, and left by the worker's own clock; and the time of a call. */
final class OutboxWorkerLeaseTest {
    private static final Duration LONG = Duration.ofMinutes(30);

    private final WorkerBench bench = new WorkerBench();
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicBoolean interrupted = new AtomicBoolean();

    @AfterEach
    void stop() {
        release.countDown();
        bench.close();
    }

    /** Sends until it is released or interrupted. */
    private final ScriptedSender slow = ScriptedSender.idempotent((entry, call) -> {
        try {
            release.await();
            return ScriptedSender.OK;
        } catch (InterruptedException e) {
            interrupted.set(true);
            throw e;
        }
    });

    @Test
    void a_send_longer_than_the_lease_keeps_its_entry_by_heartbeats() {
        long id = bench.enqueue("order-1");
        bench.start(slow, options -> options.sendTimeout(LONG));
        WorkerBench.await(() -> slow.sending() == 1);
        ScriptedSender other = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(other);
        passByHeartbeats(id);
        release.countDown();
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(other.sent).isEmpty();
        assertThat(interrupted).isFalse();
    }

    @Test
    void an_entry_whose_lease_cannot_be_renewed_is_left_before_the_lease_ends() {
        long id = bench.enqueue("order-1");
        FaultyOutboxStore faulty = new FaultyOutboxStore(bench.memory.store());
        bench.start(faulty, slow, bench.time, options -> options.sendTimeout(LONG));
        WorkerBench.await(() -> slow.sending() == 1);
        faulty.failing.add("renew");
        Duration half = WorkerBench.LEASE.dividedBy(2);
        bench.time.advance(half);
        WorkerBench.await(() -> faulty.failures.get() > 0);
        assertThat(interrupted).isFalse();
        bench.time.advance(half.minusSeconds(1));
        WorkerBench.await(interrupted::get);
        WorkerBench.await(() -> bench.events.all(Event.LeaseLost.class).count() == 1);
        assertThat(bench.status(id)).isEqualTo(OutboxStatus.SENDING);
        assertThat(bench.events.all(Event.Settled.class)).isEmpty();
    }

    @Test
    void an_entry_that_the_store_says_is_lost_is_interrupted_and_its_result_dropped() {
        long id = bench.enqueue("order-1");
        DrivenOutboxTime slowClock = new DrivenOutboxTime(WorkerBench.START);
        bench.start(bench.memory.store(), slow, slowClock, options -> options.sendTimeout(LONG));
        WorkerBench.await(() -> slow.sending() == 1);
        bench.time.advance(WorkerBench.LEASE.plusSeconds(1));
        bench.start(ScriptedSender.idempotent(ScriptedSender.OK));
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        slowClock.advance(WorkerBench.LEASE.dividedBy(2));
        WorkerBench.await(interrupted::get);
        WorkerBench.await(() -> bench.events.all(Event.LeaseLost.class).count() == 1);
        assertThat(bench.row(id).attempts()).isEqualTo(2);
    }

    @Test
    void a_worker_that_stalled_for_longer_than_its_lease_changes_nothing_afterwards() {
        long id = bench.enqueue("order-1");
        ScriptedSender rejects = ScriptedSender.idempotent((entry, call) -> {
            release.await();
            return ScriptedSender.REJECTED;
        });
        DrivenOutboxTime paused = new DrivenOutboxTime(WorkerBench.START);
        bench.start(bench.memory.store(), rejects, paused, options -> options.sendTimeout(LONG));
        WorkerBench.await(() -> rejects.sending() == 1);
        bench.time.advance(WorkerBench.LEASE.plusSeconds(1));
        bench.start(ScriptedSender.idempotent(ScriptedSender.OK));
        OutboxRow settled = bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        release.countDown();
        WorkerBench.await(() -> bench.events.all(Event.LeaseLost.class).count() == 1);
        assertThat(bench.row(id)).isEqualTo(settled);
        assertThat(bench.ledger("order-1").map(LedgerResult::status)).contains(LedgerStatus.SUCCEEDED);
    }

    @Test
    void a_send_that_takes_too_long_is_interrupted_and_its_outcome_unknown() {
        long id = bench.enqueue("order-1");
        bench.start(slow, options -> options.sendTimeout(Duration.ofSeconds(2)));
        WorkerBench.await(() -> slow.sending() == 1);
        bench.time.advance(Duration.ofMillis(1_999));
        LockSupport.parkNanos(5_000_000);
        assertThat(interrupted).isFalse();
        bench.time.advance(Duration.ofMillis(1));
        OutboxRow row = bench.awaitStatus(id, OutboxStatus.FAILED);
        assertThat(interrupted).isTrue();
        assertThat(row.lastError()).contains(ReasonCode.TIMEOUT);
        assertThat(row.outcomeUnknown()).isTrue();
    }

    @Test
    void a_send_that_does_not_answer_its_interrupt_keeps_its_slot_and_its_lease_and_its_outcome_counts() {
        long first = bench.enqueue("order-1");
        ScriptedSender deaf = ScriptedSender.idempotent((entry, call) -> {
            boolean done = !entry.idempotencyKey().equals("order-1");
            while (!done) {
                try {
                    release.await();
                    done = true;
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            }
            return ScriptedSender.OK;
        });
        bench.start(deaf, options -> options.concurrency(1).sendTimeout(Duration.ofSeconds(2)));
        WorkerBench.await(() -> deaf.sending() == 1);
        bench.enqueue("order-2");
        passByHeartbeats(first);
        assertThat(interrupted).isTrue();
        assertThat(deaf.sent).isEqualTo(List.of("order-1"));
        release.countDown();
        bench.awaitStatus(first, OutboxStatus.SUCCEEDED);
        WorkerBench.await(() -> deaf.sent.equals(List.of("order-1", "order-2")));
    }

    /** Lets three leases pass, slower when the lease of the entry is half over, so that heartbeats have their turn. */
    private void passByHeartbeats(long id) {
        Duration half = WorkerBench.LEASE.dividedBy(2);
        for (int i = 0; i < 3 * WorkerBench.LEASE.toSeconds(); i++) {
            bench.time.advance(Duration.ofSeconds(1));
            Instant leaseUntil = bench.row(id).leaseUntil().orElseThrow();
            assertThat(leaseUntil).isAfter(bench.time.instant());
            boolean late = leaseUntil.isBefore(bench.time.instant().plus(half));
            LockSupport.parkNanos(late ? 50_000_000 : 1_000_000);
        }
    }
}

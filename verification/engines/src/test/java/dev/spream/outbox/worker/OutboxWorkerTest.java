package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.RecordingOutboxListener.Event;
import dev.spream.testkit.memory.InMemoryOutbox;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The scenarios W-101 to W-105 of an outbox, and what holds them together. */
final class OutboxWorkerTest {
    private final WorkerBench bench = new WorkerBench();

    @AfterEach
    void stop() {
        bench.close();
    }

    @Test
    void W_101_pending_to_sending_to_succeeded() {
        long id = bench.enqueue("order-1");
        assertThat(bench.status(id)).isEqualTo(OutboxStatus.PENDING);
        ScriptedSender sender = ScriptedSender.idempotent((entry, call) -> {
            assertThat(bench.status(id)).isEqualTo(OutboxStatus.SENDING);
            return ScriptedSender.OK;
        });
        bench.start(sender);
        OutboxRow row = bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(row.attempts()).isEqualTo(1);
        assertThat(bench.ledger("order-1")).contains(LedgerResult.succeeded("{\"accepted\":true}"));
        assertThat(sender.sent).containsExactly("order-1");
    }

    @Test
    void W_102_a_timeout_is_failed_and_pending_again_and_succeeds_the_second_time() {
        long id = bench.enqueue("order-1");
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.LOST, ScriptedSender.OK);
        bench.start(sender);
        OutboxRow failed = bench.awaitStatus(id, OutboxStatus.FAILED);
        assertThat(failed.lastError()).contains(ReasonCode.TIMEOUT);
        assertThat(failed.outcomeUnknown()).isTrue();
        assertThat(failed.nextRunAt()).contains(WorkerBench.START.plusSeconds(5));
        bench.advanceUntil( // in steps: the worker may not have noted the retry yet
                Duration.ofSeconds(1), Duration.ofSeconds(10), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
        OutboxRow row = bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(row.attempts()).isEqualTo(2);
        assertThat(row.outcomeUnknown()).isFalse();
        assertThat(sender.sent).containsExactly("order-1", "order-1");
    }

    @Test
    void W_104_attempts_that_are_exhausted_abort_and_a_requeue_of_an_operator_succeeds() {
        long id = bench.enqueue("order-1");
        ScriptedSender sender =
                ScriptedSender.idempotent((entry, call) -> call <= 6 ? ScriptedSender.DOWN : ScriptedSender.OK);
        bench.start(sender);
        bench.advanceUntil(
                Duration.ofSeconds(1), Duration.ofMinutes(10), () -> bench.status(id) == OutboxStatus.ABORTED);
        assertThat(sender.sent).hasSize(6);
        assertThat(bench.ledger("order-1")).contains(LedgerResult.failed(ReasonCode.UNAVAILABLE));
        bench.memory.operations().requeue(id, new OperatorAction("operator", "the broker is back"));
        bench.memory.outbox().signal();
        OutboxRow row = bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(row.generation()).isEqualTo(2);
        assertThat(row.attempts()).isEqualTo(1);
        WorkerBench.await(() -> bench.events.all(Event.Settled.class).count() == 7);
    }

    @Test
    void W_104_attempts_that_are_exhausted_by_timeouts_abort_too_if_they_are_to_and_a_requeue_succeeds() {
        long id = bench.enqueue("order-1");
        ScriptedSender sender =
                ScriptedSender.idempotent((entry, call) -> call <= 6 ? ScriptedSender.LOST : ScriptedSender.OK);
        bench.start(sender, options -> options.unknownFailure(UnknownFailure.ABORT));
        bench.advanceUntil(
                Duration.ofSeconds(1), Duration.ofMinutes(10), () -> bench.status(id) == OutboxStatus.ABORTED);
        assertThat(bench.ledger("order-1")).contains(LedgerResult.failed(ReasonCode.OUTCOME_UNKNOWN));
        bench.memory.operations().requeue(id, new OperatorAction("operator", "the broker is back"));
        bench.memory.outbox().signal();
        assertThat(bench.awaitStatus(id, OutboxStatus.SUCCEEDED).generation()).isEqualTo(2);
    }

    @Test
    void W_103_a_worker_dies_and_after_its_lease_another_succeeds() {
        long id = bench.enqueue("order-1");
        CountDownLatch release = new CountDownLatch(1);
        ScriptedSender hangs = ScriptedSender.idempotent((entry, call) -> {
            release.await();
            return ScriptedSender.OK;
        });
        FaultyOutboxStore cut = new FaultyOutboxStore(bench.memory.store());
        DrivenOutboxTime stopped = new DrivenOutboxTime(WorkerBench.START);
        bench.start(cut, hangs, stopped, options -> options);
        WorkerBench.await(() -> hangs.sending() == 1);
        cut.cut();
        ScriptedSender other = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(other);
        bench.time.advance(WorkerBench.LEASE.minusMillis(1));
        WorkerBench.await(() -> bench.status(id) == OutboxStatus.SENDING);
        assertThat(other.sent).isEmpty();
        bench.advanceUntil(
                Duration.ofMillis(100), Duration.ofSeconds(2), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
        assertThat(bench.row(id).attempts()).isEqualTo(2);
        assertThat(other.sent).containsExactly("order-1");
        assertThat(bench.events
                        .all(Event.Claimed.class)
                        .mapToInt(claimed -> claimed.result().leasesExpired()))
                .containsExactly(0, 1);
        OutboxRow settled = bench.row(id);
        cut.heal();
        release.countDown();
        WorkerBench.await(() -> bench.events.all(Event.LeaseLost.class).count() == 1);
        assertThat(bench.row(id)).isEqualTo(settled);
    }

    @Test
    void W_105_an_entry_whose_key_the_ledger_has_as_succeeded_becomes_succeeded_unsent() {
        long id = bench.enqueue("order-1");
        LedgerResult result = LedgerResult.succeeded("{\"accepted\":\"before\"}");
        try (InMemoryOutbox.Transaction transaction = bench.memory.begin()) {
            assertThat(bench.memory
                            .ledger()
                            .settle(transaction, "order-1", 1, bench.row(id).requestDigest(), result))
                    .isTrue();
            transaction.commit();
        }
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.REJECTED);
        bench.start(sender);
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(sender.sent).isEmpty();
        assertThat(bench.ledger("order-1")).contains(result);
    }

    @Test
    void invariant_a_key_is_in_the_outbox_once() {
        long id = bench.enqueue("order-1");
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(sender);
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        try (InMemoryOutbox.Transaction transaction = bench.memory.begin()) {
            assertThat(bench.memory
                            .outbox()
                            .enqueue(transaction, OutboxMessage.of("order-1", "{\"order\":\"order-1\"}")))
                    .isInstanceOf(EnqueueResult.Settled.class);
            transaction.commit();
        }
        assertThat(bench.memory.operations().stats().entries()).containsEntry(OutboxStatus.SUCCEEDED, 1L);
        assertThat(sender.sent).containsExactly("order-1");
    }

    @Test
    void invariant_a_settlement_that_does_not_reach_the_store_leaves_ledger_and_outbox_as_they_were() {
        long id = bench.enqueue("order-1");
        FaultyOutboxStore faulty = new FaultyOutboxStore(bench.memory.store());
        faulty.failing.add("settle");
        bench.start(faulty, ScriptedSender.idempotent(ScriptedSender.OK), bench.time, options -> options);
        WorkerBench.await(() -> faulty.failures.get() > 0);
        assertThat(bench.status(id)).isEqualTo(OutboxStatus.SENDING);
        assertThat(bench.ledger("order-1")).isEmpty();
    }

    @Test
    void a_receiver_that_is_down_is_tried_again_with_backoff() {
        long id = bench.enqueue("order-1");
        bench.start(ScriptedSender.idempotent(ScriptedSender.DOWN, ScriptedSender.DOWN, ScriptedSender.OK));
        bench.advanceUntil(
                Duration.ofSeconds(1), Duration.ofSeconds(30), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
        assertThat(bench.events
                        .all(Event.Settled.class)
                        .map(Event.Settled::settlement)
                        .limit(2))
                .allSatisfy(settlement -> assertThat(settlement).isInstanceOf(Settlement.Failed.class));
        assertThat(bench.row(id).attempts()).isEqualTo(3);
    }

    @Test
    void a_request_that_the_sender_cannot_read_is_aborted_at_once() {
        long id = bench.enqueue("order-1");
        bench.start(ScriptedSender.idempotent(new SendOutcome.Permanent(ReasonCode.INVALID_REQUEST, "no amount")));
        OutboxRow row = bench.awaitStatus(id, OutboxStatus.ABORTED);
        assertThat(row.attempts()).isEqualTo(1);
        assertThat(row.lastError()).contains(ReasonCode.INVALID_REQUEST);
        assertThat(bench.ledger("order-1")).contains(LedgerResult.failed(ReasonCode.INVALID_REQUEST));
    }

    @Test
    void a_ledger_that_cannot_be_written_after_the_send_is_written_later_and_nothing_is_sent_again() {
        long id = bench.enqueue("order-1");
        FaultyOutboxStore faulty = new FaultyOutboxStore(bench.memory.store());
        faulty.failing.add("settle");
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(faulty, sender, bench.time, options -> options);
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofMinutes(10), () -> faulty.failures.get() > 5);
        faulty.heal();
        bench.advanceUntil(
                Duration.ofMillis(100), Duration.ofMinutes(1), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
        assertThat(sender.sent).containsExactly("order-1");
        assertThat(bench.events.all(Event.LeaseLost.class)).isEmpty();
        assertThat(bench.events.all(Event.StoreFailed.class)).isNotEmpty();
    }

    @Test
    void a_settlement_whose_confirmation_was_lost_is_none_that_was_lost() {
        long id = bench.enqueue("order-1");
        FaultyOutboxStore faulty = new FaultyOutboxStore(bench.memory.store());
        faulty.unconfirmed.add("settle");
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(faulty, sender, bench.time, options -> options);
        WorkerBench.await(() -> faulty.failures.get() > 0);
        faulty.heal();
        bench.advanceUntil(
                Duration.ofMillis(10),
                Duration.ofMinutes(1),
                () -> bench.events.all(Event.Settled.class).count() == 1);
        assertThat(bench.status(id)).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(bench.events.all(Event.LeaseLost.class)).isEmpty();
    }

    @Test
    void a_settlement_that_the_store_cannot_write_holds_up_no_others() {
        long bad = bench.enqueue("bad");
        long good = bench.enqueue("good");
        OutboxStore picky = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                return call.get();
            }

            @Override
            public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
                for (Settlement settlement : settlements) {
                    if (settlement.ref().id() == bad
                            && settlement instanceof Settlement.Succeeded done
                            && done.result().responsePayload().isPresent()) {
                        throw new StorageException("the answer is no JSON", false, null);
                    }
                }
                return super.settle(owner, settlements);
            }
        };
        bench.start(picky, ScriptedSender.idempotent(ScriptedSender.OK), bench.time, options -> options);
        bench.awaitStatus(good, OutboxStatus.SUCCEEDED);
        bench.awaitStatus(bad, OutboxStatus.SUCCEEDED);
        assertThat(bench.ledger("bad")).contains(LedgerResult.succeeded());
    }

    @Test
    void a_settlement_that_fails_again_and_again_holds_up_no_others() {
        int count = 40;
        AtomicBoolean locked = new AtomicBoolean(true);
        CountDownLatch allSent = new CountDownLatch(count);
        OutboxStore blocking = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                return call.get();
            }

            @Override
            public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
                boolean bad = settlements.stream().anyMatch(each -> each.ref().id() % 20 == 7);
                if (allSent.getCount() > 0 || (locked.get() && bad)) {
                    throw new StorageException("a row is locked", true, null);
                }
                return super.settle(owner, settlements);
            }
        };
        for (int i = 0; i < count; i++) {
            bench.enqueue("order-" + i);
        }
        ScriptedSender sender = ScriptedSender.idempotent((entry, call) -> {
            allSent.countDown();
            return ScriptedSender.OK;
        });
        bench.start(
                blocking,
                sender,
                bench.time,
                options -> options.concurrency(count).batch(count));
        bench.advanceUntil(
                Duration.ofMillis(20), Duration.ofMinutes(1), () -> bench.count(OutboxStatus.SUCCEEDED) == count - 2);
        long later = bench.enqueue("later");
        bench.awaitStatus(later, OutboxStatus.SUCCEEDED);
        assertThat(bench.count(OutboxStatus.SENDING)).isEqualTo(2);
        locked.set(false);
        bench.advanceUntil(
                Duration.ofMillis(20), Duration.ofMinutes(1), () -> bench.count(OutboxStatus.SUCCEEDED) == count + 1);
        assertThat(sender.sent).doesNotHaveDuplicates();
        assertThat(bench.events.all(Event.LeaseLost.class)).isEmpty();
    }

    @Test
    void an_outcome_that_is_unknown_is_asked_for_before_anything_is_sent_again() {
        Map<String, QueryOutcome> answers = Map.of(
                "taken", new QueryOutcome.Taken(LedgerResult.succeeded("{}")),
                "refused", new QueryOutcome.Refused(ReasonCode.REJECTED, "no"),
                "absent", new QueryOutcome.NotThere());
        ScriptedSender sender = new ScriptedSender(
                OutboxSender.Guarantee.QUERYABLE,
                (entry, call) -> call == 1 ? ScriptedSender.LOST : ScriptedSender.OK,
                (entry, call) -> answers.getOrDefault(
                        entry.idempotencyKey(), new QueryOutcome.StillUnknown(ReasonCode.TIMEOUT, "no answer")));
        long taken = bench.enqueue("taken");
        long refused = bench.enqueue("refused");
        long absent = bench.enqueue("absent");
        long never = bench.enqueue("never");
        bench.start(sender);
        bench.advanceUntil(
                Duration.ofSeconds(1),
                Duration.ofMinutes(10),
                () -> bench.row(never).parked());
        assertThat(bench.status(taken)).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(bench.status(refused)).isEqualTo(OutboxStatus.ABORTED);
        assertThat(bench.status(absent)).isEqualTo(OutboxStatus.SUCCEEDED);
        assertThat(bench.row(never).outcomeUnknown()).isTrue();
        assertThat(bench.ledger("never")).isEmpty();
        assertThat(sender.sent).containsExactlyInAnyOrder("taken", "refused", "absent", "never", "absent");
        assertThat(sender.asked.stream().filter("never"::equals)).hasSize(5);
    }

    @Test
    void an_unknown_outcome_that_cannot_be_queried_is_parked_for_an_operator() {
        long id = bench.enqueue("order-1");
        ScriptedSender sender =
                ScriptedSender.of(OutboxSender.Guarantee.NEITHER, ScriptedSender.LOST, ScriptedSender.OK);
        bench.start(sender);
        OutboxRow parked = bench.awaitParked(id);
        assertThat(parked.outcomeUnknown()).isTrue();
        assertThat(bench.ledger("order-1")).isEmpty();
        bench.time.advance(Duration.ofDays(30));
        bench.memory.operations().requeue(id, new OperatorAction("operator", "it is not there"));
        bench.memory.outbox().signal();
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(sender.sent).containsExactly("order-1", "order-1");
    }

    @Test
    void an_exception_of_a_sender_is_an_unknown_outcome_and_its_message_is_not_stored() {
        long id = bench.enqueue("order-1");
        bench.start(ScriptedSender.idempotent((entry, call) -> {
            if (call == 1) {
                throw new IllegalStateException("secret " + entry.payload());
            }
            return ScriptedSender.OK;
        }));
        OutboxRow row = bench.awaitStatus(id, OutboxStatus.FAILED);
        assertThat(row.outcomeUnknown()).isTrue();
        assertThat(row.lastError()).contains(ReasonCode.INTERNAL_ERROR);
        assertThat(row.lastErrorMessage()).contains("the sender threw java.lang.IllegalStateException");
    }

    @Test
    void entries_that_expire_while_they_wait_are_aborted() {
        long id = bench.enqueue(OutboxMessage.builder("order-1", "{}")
                .notBefore(WorkerBench.START.plusSeconds(60))
                .expiresAt(WorkerBench.START.plusSeconds(90))
                .build());
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        bench.start(sender);
        bench.advanceUntil(Duration.ofMinutes(2), Duration.ofHours(1), () -> bench.status(id) == OutboxStatus.ABORTED);
        assertThat(bench.ledger("order-1")).contains(LedgerResult.failed(ReasonCode.EXPIRED));
        assertThat(sender.sent).isEmpty();
        WorkerBench.await(() -> bench.events.all(Event.Expired.class).count() == 1);
    }

    @Test
    void a_listener_that_throws_changes_nothing() {
        long id = bench.enqueue("order-1");
        OutboxListener broken = new OutboxListener() {
            @Override
            public void sending(OutboxClaim claim) {
                throw new IllegalStateException("no metrics today");
            }

            @Override
            public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
                throw new AssertionError("nor now");
            }
        };
        bench.start(ScriptedSender.idempotent(ScriptedSender.OK), options -> options.listener(broken));
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
    }
}

package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.worker.RecordingOutboxListener.Event;
import dev.spream.testkit.memory.InMemoryOutbox;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of entries that a worker claims as they are enqueued in its process. */
final class EnqueueRoomTest {
    private final WorkerBench bench = new WorkerBench();
    private final AtomicInteger claims = new AtomicInteger();

    @AfterEach
    void stop() {
        bench.close();
    }

    /** Starts a worker and waits until it has looked for entries, found none, and watches for more. */
    private WorkerBench.Running start(ScriptedSender sender, UnaryOperator<OutboxWorkerOptions.Builder> change) {
        AtomicInteger watches = new AtomicInteger();
        WorkerBench.Running running = bench.start(
                new ForwardingOutboxStore(bench.memory.store()) {
                    @Override
                    protected <T> T call(String operation, Supplier<T> call) {
                        T result = call.get();
                        claims.addAndGet(operation.equals("claim") ? 1 : 0);
                        watches.addAndGet(operation.equals("watch") ? 1 : 0);
                        return result;
                    }
                },
                sender,
                bench.time,
                change);
        WorkerBench.await(() -> claims.get() > 0 && watches.get() > 0);
        return running;
    }

    /** Enqueues entries in transactions of their own until one is claimed as it is enqueued; returns its id. */
    private long enqueueUntilClaimed() {
        for (int i = 0; ; i++) {
            long id = enqueue("key-" + i);
            Optional<Event.Enqueued> claimed = bench.events
                    .all(Event.Enqueued.class)
                    .filter(event -> event.claims().getFirst().entry().id() == id)
                    .findFirst();
            if (claimed.isPresent()) {
                return id;
            }
            bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        }
    }

    private long enqueue(String key) {
        try (InMemoryOutbox.Transaction transaction = bench.memory.begin();
                OutboxTransaction messages = bench.memory.outbox().begin(transaction)) {
            EnqueueResult result = messages.enqueue(OutboxMessage.of(key, "{}"));
            transaction.commit();
            messages.committed();
            return ((EnqueueResult.Enqueued) result).id();
        }
    }

    @Test
    void an_entry_is_sent_without_another_claim() {
        start(ScriptedSender.idempotent(ScriptedSender.OK), options -> options);
        long first = enqueueUntilClaimed();
        assertThat(bench.awaitStatus(first, OutboxStatus.SUCCEEDED).attempts()).isEqualTo(1);
        int before = claims.get();
        for (int i = 0; i < 20; i++) {
            bench.awaitStatus(enqueue("later-" + i), OutboxStatus.SUCCEEDED);
        }
        assertThat(claims).hasValue(before);
        assertThat(bench.events.all(Event.LeaseLost.class)).isEmpty();
    }

    @Test
    void no_more_are_sent_at_a_time_than_the_worker_is_allowed() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        ScriptedSender sender = ScriptedSender.idempotent((entry, call) -> {
            if (entry.idempotencyKey().startsWith("slow")) {
                release.await();
            }
            return ScriptedSender.OK;
        });
        start(sender, options -> options.concurrency(2));
        bench.awaitStatus(enqueueUntilClaimed(), OutboxStatus.SUCCEEDED);
        WorkerBench.await(() -> sender.sending() == 0);
        long[] ids = new long[5];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = enqueue("slow-" + i);
        }
        WorkerBench.await(() -> sender.sending() == 2);
        assertThat(bench.count(OutboxStatus.PENDING)).isEqualTo(3);
        release.countDown();
        for (long id : ids) {
            bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        }
        assertThat(sender.mostSending()).isEqualTo(2);
    }

    @Test
    void entries_are_claimed_ahead_of_a_fast_sender_and_sent_in_turns() {
        for (int i = 0; i < 200; i++) {
            bench.enqueue("order-" + i);
        }
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        start(sender, options -> options.concurrency(2));
        WorkerBench.await(() -> bench.count(OutboxStatus.SUCCEEDED) == 200);
        assertThat(sender.mostSending()).isLessThanOrEqualTo(2);
        assertThat(bench.events
                        .all(Event.Claimed.class)
                        .mapToInt(event -> event.result().claims().size()))
                .anyMatch(size -> size > 2);
    }

    @Test
    void nothing_is_claimed_ahead_of_a_sender_whose_attempts_cannot_be_repeated() {
        for (int i = 0; i < 200; i++) {
            bench.enqueue("order-" + i);
        }
        start(ScriptedSender.of(Guarantee.NEITHER, ScriptedSender.OK), options -> options.concurrency(2));
        WorkerBench.await(() -> bench.count(OutboxStatus.SUCCEEDED) == 200);
        assertThat(bench.events
                        .all(Event.Claimed.class)
                        .mapToInt(event -> event.result().claims().size()))
                .allMatch(size -> size <= 2);
    }

    @Test
    void a_sender_whose_attempts_cannot_be_repeated_or_queried_gets_entries_by_claims_alone() {
        start(ScriptedSender.of(Guarantee.NEITHER, ScriptedSender.OK), options -> options);
        for (int i = 0; i < 20; i++) {
            bench.awaitStatus(enqueue("order-" + i), OutboxStatus.SUCCEEDED);
        }
        assertThat(bench.events.all(Event.Enqueued.class)).isEmpty();
    }

    @Test
    void nothing_is_claimed_until_a_claim_has_found_no_backlog() throws Exception {
        CountDownLatch enqueued = new CountDownLatch(1);
        CountDownLatch watches = new CountDownLatch(1);
        bench.start(
                new ForwardingOutboxStore(bench.memory.store()) {
                    @Override
                    protected <T> T call(String operation, Supplier<T> call) {
                        if (operation.equals("claim")) {
                            awaitLatch(enqueued);
                        }
                        T result = call.get();
                        if (operation.equals("watch")) {
                            watches.countDown();
                        }
                        return result;
                    }
                },
                ScriptedSender.idempotent(ScriptedSender.OK),
                bench.time,
                options -> options);
        assertThat(watches.await(20, TimeUnit.SECONDS)).isTrue();
        long id = enqueue("order");
        assertThat(bench.status(id)).isEqualTo(OutboxStatus.PENDING);
        enqueued.countDown();
        bench.awaitStatus(id, OutboxStatus.SUCCEEDED);
        assertThat(bench.events.all(Event.Enqueued.class)).isEmpty();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void nothing_is_claimed_while_the_receiver_is_unreachable() {
        ScriptedSender sender = ScriptedSender.idempotent(
                (entry, call) -> entry.idempotencyKey().equals("down") ? ScriptedSender.DOWN : ScriptedSender.OK);
        start(sender, options -> options.breakerFailures(1).breakerPause(Duration.ofMinutes(1)));
        enqueueUntilClaimed();
        enqueue("down");
        WorkerBench.await(
                () -> bench.events.all(Event.BreakerOpened.class).findAny().isPresent());
        long waiting = enqueue("waits");
        assertThat(bench.status(waiting)).isEqualTo(OutboxStatus.PENDING);
    }

    @Test
    void a_shutdown_does_not_wait_for_an_open_transaction_whose_entry_is_released() {
        WorkerBench.Running running = start(ScriptedSender.idempotent(ScriptedSender.OK), options -> options);
        enqueueUntilClaimed();
        try (InMemoryOutbox.Transaction transaction = bench.memory.begin();
                OutboxTransaction messages = bench.memory.outbox().begin(transaction)) {
            long id = ((EnqueueResult.Enqueued) messages.enqueue(OutboxMessage.of("open", "{}"))).id();
            assertThat(running.worker.shutdown(Duration.ofSeconds(20))).isTrue();
            transaction.commit();
            assertThat(bench.status(id)).isEqualTo(OutboxStatus.SENDING);
            messages.committed();
            OutboxRow row = bench.row(id);
            assertThat(row.status()).isEqualTo(OutboxStatus.PENDING);
            assertThat(row.attempts()).isZero();
            assertThat(row.outcomeUnknown()).isFalse();
        }
    }

    @Test
    void a_transaction_that_stays_open_or_is_forgotten_delays_no_other_entry() {
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        start(sender, options -> options.concurrency(1));
        enqueueUntilClaimed();
        try (InMemoryOutbox.Transaction transaction = bench.memory.begin();
                OutboxTransaction messages = bench.memory.outbox().begin(transaction)) {
            long open = ((EnqueueResult.Enqueued) messages.enqueue(OutboxMessage.of("open", "{}"))).id();
            for (int i = 0; i < 3; i++) {
                bench.awaitStatus(bench.enqueue("other-" + i), OutboxStatus.SUCCEEDED);
            }
            transaction.commit();
            messages.committed();
            bench.awaitStatus(open, OutboxStatus.SUCCEEDED);
        }
        assertThat(sender.mostSending()).isEqualTo(1);
    }

    @Test
    void an_entry_of_a_transaction_that_took_half_a_lease_is_claimed_anew() {
        ScriptedSender sender = ScriptedSender.idempotent(ScriptedSender.OK);
        start(sender, options -> options);
        enqueueUntilClaimed();
        try (InMemoryOutbox.Transaction transaction = bench.memory.begin();
                OutboxTransaction messages = bench.memory.outbox().begin(transaction)) {
            long id = ((EnqueueResult.Enqueued) messages.enqueue(OutboxMessage.of("long", "{}"))).id();
            bench.time.advance(WorkerBench.LEASE.dividedBy(2));
            transaction.commit();
            assertThat(bench.status(id)).isEqualTo(OutboxStatus.SENDING);
            messages.committed();
            assertThat(bench.awaitStatus(id, OutboxStatus.SUCCEEDED).attempts()).isEqualTo(1);
            assertThat(bench.events
                            .all(Event.Claimed.class)
                            .flatMap(event -> event.result().claims().stream())
                            .filter(claim -> claim.entry().id() == id)
                            .map(OutboxClaim::token))
                    .containsExactly(2L);
        }
        assertThat(sender.sent).containsOnlyOnce("long");
    }
}

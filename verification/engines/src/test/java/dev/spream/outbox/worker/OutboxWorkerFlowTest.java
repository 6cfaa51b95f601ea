package dev.spream.outbox.worker;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.worker.RecordingOutboxListener.Event;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the number of entries in flight, of waits for permits, of pauses of claiming, and of the end of a worker.
 */
final class OutboxWorkerFlowTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final WorkerBench bench = new WorkerBench();
    private final Semaphore permits = new Semaphore(0);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicBoolean interrupted = new AtomicBoolean();

    @AfterEach
    void stop() {
        release.countDown();
        permits.release(1_000_000);
        bench.close();
    }

    /** Each call needs a permit. */
    private final ScriptedSender metered = ScriptedSender.idempotent((entry, call) -> {
        permits.acquire();
        return ScriptedSender.OK;
    });

    /** Calls of the key {@code slow} wait for their release, or an interrupt. */
    private final ScriptedSender oneSlow = ScriptedSender.idempotent((entry, call) -> {
        if (entry.idempotencyKey().equals("slow")) {
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        }
        return ScriptedSender.OK;
    });

    private List<Long> enqueue(int count) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(bench.enqueue("order-" + i));
        }
        return ids;
    }

    private long settled() {
        return bench.count(OutboxStatus.SUCCEEDED);
    }

    @Test
    void no_more_are_sent_at_a_time_than_the_concurrency_and_no_more_are_claimed() {
        enqueue(50);
        bench.start(metered, options -> options.concurrency(3).batch(32));
        WorkerBench.await(() -> metered.sending() == 3);
        assertThat(bench.memory.operations().stats().entries()).containsEntry(OutboxStatus.SENDING, 3L);
        permits.release(1_000);
        WorkerBench.await(() -> settled() == 50);
        assertThat(metered.mostSending()).isEqualTo(3);
        assertThat(metered.sent).doesNotHaveDuplicates().hasSize(50);
    }

    @Test
    void a_slot_that_comes_free_is_filled_before_the_others_are_done() {
        enqueue(10);
        bench.start(metered, options -> options.concurrency(4));
        WorkerBench.await(() -> metered.sending() == 4);
        permits.release();
        WorkerBench.await(() -> metered.sent.size() == 5 && metered.sending() == 4);
        permits.release(2);
        WorkerBench.await(() -> metered.sent.size() == 7 && metered.sending() == 4);
    }

    @Test
    void a_slow_send_holds_up_no_others() {
        long slow = bench.enqueue("slow");
        enqueue(200);
        bench.start(oneSlow, options -> options.concurrency(2));
        WorkerBench.await(() -> settled() == 200);
        assertThat(bench.status(slow)).isEqualTo(OutboxStatus.SENDING);
    }

    @Test
    void a_worker_is_woken_by_what_is_enqueued_and_does_not_wait_for_its_poll_interval() {
        bench.start(oneSlow, options -> options.pollInterval(Duration.ofHours(1)));
        for (int i = 0; i < 20; i++) {
            bench.awaitStatus(bench.enqueue("order-" + i), OutboxStatus.SUCCEEDED);
        }
        assertThat(bench.time.instant()).isEqualTo(WorkerBench.START);
    }

    @Test
    void without_being_called_a_worker_finds_entries_by_its_poll_interval() {
        ForwardingOutboxStore deaf = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                return call.get();
            }

            @Override
            public Watch watch(Watcher watcher) {
                return () -> {};
            }
        };
        bench.start(deaf, oneSlow, bench.time, options -> options);
        long id = bench.enqueue("order-1");
        bench.advanceUntil(
                Duration.ofMillis(50), Duration.ofSeconds(2), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
    }

    @Test
    void a_shutdown_gives_back_what_has_not_started_and_settles_what_has() {
        long slow = bench.enqueue("slow");
        WorkerBench.Running running = bench.start(oneSlow, options -> options.concurrency(1));
        WorkerBench.await(() -> oneSlow.sending() == 1);
        long next = bench.enqueue("order-1");
        AtomicReference<Boolean> inTime = new AtomicReference<>();
        Thread stopper = Thread.ofVirtual().start(() -> inTime.set(running.worker.shutdown(TIMEOUT)));
        WorkerBench.await(() -> stopper.getState() == Thread.State.TIMED_WAITING);
        release.countDown();
        WorkerBench.await(() -> !stopper.isAlive());
        assertThat(inTime).hasValue(true);
        WorkerBench.await(() -> !running.thread.isAlive());
        assertThat(bench.status(slow)).isEqualTo(OutboxStatus.SUCCEEDED);
        OutboxRow row = bench.row(next);
        assertThat(row.status()).isEqualTo(OutboxStatus.PENDING);
        assertThat(row.attempts()).isZero();
    }

    @Test
    void a_shutdown_that_takes_too_long_interrupts_and_the_outcome_is_unknown() {
        long slow = bench.enqueue("slow");
        WorkerBench.Running running = bench.start(oneSlow);
        WorkerBench.await(() -> oneSlow.sending() == 1);
        assertThat(running.worker.shutdown(Duration.ofMillis(50))).isFalse();
        WorkerBench.await(() -> !running.thread.isAlive());
        assertThat(interrupted).isTrue();
        OutboxRow row = bench.row(slow);
        assertThat(row.status()).isEqualTo(OutboxStatus.FAILED);
        assertThat(row.lastError()).contains(ReasonCode.OUTCOME_UNKNOWN);
        assertThat(row.outcomeUnknown()).isTrue();
    }

    @Test
    void a_shutdown_does_not_wait_for_a_store_that_does_not_respond() {
        AtomicBoolean down = new AtomicBoolean();
        AtomicBoolean hangs = new AtomicBoolean();
        ForwardingOutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                if (!down.get()) {
                    return call.get();
                }
                if (operation.equals("holdSegments")) {
                    hangs.set(true);
                    awaitRelease();
                }
                throw new StorageException(operation + " did not reach the store", true, null);
            }
        };
        WorkerBench.Running running = bench.start(store, metered, bench.time, options -> options);
        down.set(true);
        bench.advanceUntil(
                Duration.ofMillis(100),
                Duration.ofMinutes(5),
                () -> hangs.get()
                        && bench.events.all(Event.StoreFailed.class).findAny().isPresent());
        assertThat(running.worker.shutdown(TIMEOUT)).isTrue();
    }

    @Test
    void a_shutdown_ends_within_its_timeout_although_neither_the_sender_nor_the_store_returns() {
        AtomicBoolean hanging = new AtomicBoolean();
        ForwardingOutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                if (hanging.get()) {
                    hang();
                }
                return call.get();
            }
        };
        ScriptedSender stuck = ScriptedSender.idempotent((entry, call) -> {
            hang();
            return ScriptedSender.OK;
        });
        bench.enqueue("stuck");
        WorkerBench.Running running = bench.start(store, stuck, bench.time, options -> options);
        WorkerBench.await(() -> stuck.sending() == 1);
        hanging.set(true);

        long startedAt = System.nanoTime();
        assertThat(running.worker.shutdown(Duration.ofSeconds(2))).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(20));
        Thread closing = Thread.ofVirtual().start(running.worker::close); // as try-with-resources does
        WorkerBench.await(() -> closing.getState() == Thread.State.TIMED_WAITING);
        bench.advanceUntil(Duration.ofMillis(20), Duration.ofMillis(1_200), () -> !running.thread.isAlive());
    }

    /** Returns when it is released, and ignores interrupts. */
    private void hang() {
        while (release.getCount() > 0) {
            LockSupport.parkNanos(1_000_000);
            Thread.interrupted();
        }
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void an_interrupt_of_the_running_thread_acts_like_a_close() {
        long slow = bench.enqueue("slow");
        WorkerBench.Running running = bench.start(oneSlow);
        WorkerBench.await(() -> oneSlow.sending() == 1);
        running.thread.interrupt();
        WorkerBench.await(() -> !running.thread.isAlive());
        assertThat(bench.row(slow).status()).isEqualTo(OutboxStatus.FAILED);
    }

    @Test
    void a_sender_or_a_listener_can_stop_its_worker_without_a_deadlock() {
        AtomicReference<OutboxWorker> worker = new AtomicReference<>();
        long id = bench.enqueue("order-1");
        CountDownLatch known = new CountDownLatch(1);
        WorkerBench.Running running = bench.start(ScriptedSender.idempotent((entry, call) -> {
            known.await();
            assertThat(requireNonNull(worker.get()).shutdown(TIMEOUT)).isFalse();
            return ScriptedSender.OK;
        }));
        worker.set(running.worker);
        known.countDown();
        WorkerBench.await(() -> !running.thread.isAlive());
        assertThat(bench.status(id)).isEqualTo(OutboxStatus.SUCCEEDED);
    }

    @Test
    void a_worker_runs_once_and_not_at_all_if_it_was_told_to_stop_before() {
        OutboxWorker worker =
                OutboxWorker.builder(bench.memory.store(), oneSlow).build();
        assertThat(worker.shutdown(Duration.ZERO)).isTrue();
        worker.close();
        worker.run();
        assertThatThrownBy(worker::run).isInstanceOf(IllegalStateException.class);
        assertThat(worker.shutdown(Duration.ZERO)).isTrue();
    }

    @Test
    void an_open_breaker_burns_no_attempts_and_one_probe_closes_it() {
        AtomicBoolean down = new AtomicBoolean(true);
        ScriptedSender sender =
                ScriptedSender.idempotent((entry, call) -> down.get() ? ScriptedSender.DOWN : ScriptedSender.OK);
        enqueue(100);
        bench.start(sender, options -> options.concurrency(2).breakerFailures(5).breakerPause(Duration.ofSeconds(10)));
        WorkerBench.await(() -> bench.events.all(Event.BreakerOpened.class).count() == 1);
        WorkerBench.await(() -> bench.count(OutboxStatus.SENDING) == 0);
        int before = sender.sent.size();
        assertThat(before).isBetween(5, 6);
        assertThat(attempts()).isEqualTo(before);
        bench.time.advance(Duration.ofMillis(9_999));
        bench.enqueue("one-more");
        assertThat(sender.sent).hasSize(before);
        bench.advanceUntil(
                Duration.ofMillis(1),
                Duration.ofMillis(50),
                () -> bench.events.all(Event.BreakerOpened.class).count() == 2);
        WorkerBench.await(() -> bench.count(OutboxStatus.SENDING) == 0);
        assertThat(sender.sent).hasSize(before + 1);
        assertThat(attempts()).as("the probe's is given back").isEqualTo(before);
        down.set(false);
        bench.advanceUntil(Duration.ofSeconds(1), Duration.ofMinutes(1), () -> settled() == 101);
        assertThat(bench.events.all(Event.BreakerClosed.class)).hasSize(1);
        assertThat(sender.sent).hasSize(before + 1 + 101);
    }

    @Test
    void probes_that_time_out_burn_no_attempts_however_long_the_receiver_is_gone() {
        AtomicBoolean gone = new AtomicBoolean(true);
        ScriptedSender sender = ScriptedSender.idempotent((entry, call) -> {
            if (gone.get()) {
                release.await(); // until it is interrupted
            }
            return ScriptedSender.OK;
        });
        enqueue(2);
        bench.start(
                sender,
                options -> options.concurrency(1)
                        .breakerFailures(2)
                        .breakerPause(Duration.ofSeconds(10))
                        .sendTimeout(Duration.ofSeconds(2)));
        bench.advanceUntil(
                Duration.ofMillis(500),
                Duration.ofHours(1),
                () -> bench.events.all(Event.BreakerOpened.class).count() > 20);
        // One look: between two, an entry goes from one status to the other.
        Map<OutboxStatus, Long> entries = bench.memory.operations().stats().entries();
        assertThat(entries.getOrDefault(OutboxStatus.FAILED, 0L) + entries.getOrDefault(OutboxStatus.SENDING, 0L))
                .isEqualTo(2);
        assertThat(attempts()).isBetween(2, 3); // a probe may be under way
        assertThat(sender.sent).hasSizeGreaterThan(20).contains("order-0", "order-1");
        gone.set(false);
        bench.advanceUntil(Duration.ofMillis(500), Duration.ofMinutes(2), () -> settled() == 2);
    }

    @Test
    void a_probe_that_does_not_return_makes_room_for_another_after_the_pause() {
        AtomicBoolean down = new AtomicBoolean(true);
        ScriptedSender sender = ScriptedSender.idempotent((entry, call) -> {
            boolean hangs = entry.idempotencyKey().equals("hangs");
            while (hangs && release.getCount() > 0) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            }
            return down.get() ? ScriptedSender.DOWN : ScriptedSender.OK;
        });
        bench.enqueue("opens");
        bench.start(
                sender,
                options -> options.breakerFailures(1)
                        .breakerPause(Duration.ofSeconds(10))
                        .backoff(Backoff.table(List.of(Duration.ofMinutes(1))))
                        .sendTimeout(Duration.ofSeconds(2)));
        WorkerBench.await(() -> bench.events.all(Event.BreakerOpened.class).count() == 1);
        long hanging = bench.enqueue("hangs");
        bench.advanceUntil(Duration.ofSeconds(1), Duration.ofSeconds(20), () -> sender.sending() == 1);
        down.set(false);
        enqueue(5);
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofSeconds(20), () -> settled() >= 5);
        assertThat(interrupted).isTrue();
        assertThat(bench.status(hanging)).isEqualTo(OutboxStatus.SENDING);
        release.countDown();
        bench.awaitStatus(hanging, OutboxStatus.SUCCEEDED);
    }

    private int attempts() {
        return bench
                .memory
                .operations()
                .list(new OutboxFilter(Set.of(), false, "", Optional.empty(), Optional.empty(), 0, 1_000))
                .stream()
                .mapToInt(OutboxRow::attempts)
                .sum();
    }

    @Test
    void a_store_that_fails_for_a_while_ends_no_worker() {
        FaultyOutboxStore faulty = new FaultyOutboxStore(bench.memory.store());
        faulty.cut();
        WorkerBench.Running running = bench.start(faulty, oneSlow, bench.time, options -> options);
        long id = bench.enqueue("order-1");
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofMinutes(5), () -> faulty.failures.get() > 50);
        assertThat(running.thread.isAlive()).isTrue();
        assertThat(bench.events.all(Event.StoreFailed.class)).isNotEmpty();
        faulty.heal();
        bench.advanceUntil(
                Duration.ofMillis(100), Duration.ofMinutes(1), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
    }

    @Test
    void a_store_that_breaks_its_contract_ends_no_worker_either() {
        AtomicBoolean broken = new AtomicBoolean(true);
        ForwardingOutboxStore store = new ForwardingOutboxStore(bench.memory.store()) {
            @Override
            protected <T> T call(String operation, Supplier<T> call) {
                if (broken.get()) {
                    throw new IllegalStateException("no " + operation);
                }
                return call.get();
            }
        };
        bench.start(store, oneSlow, bench.time, options -> options);
        long id = bench.enqueue("order-1");
        bench.advanceUntil(
                Duration.ofMillis(100),
                Duration.ofMinutes(5),
                () -> bench.events.all(Event.StoreFailed.class).count() > 20);
        broken.set(false);
        bench.advanceUntil(
                Duration.ofMillis(100), Duration.ofMinutes(1), () -> bench.status(id) == OutboxStatus.SUCCEEDED);
    }
}

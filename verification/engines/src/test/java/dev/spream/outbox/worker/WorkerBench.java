package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.testkit.memory.InMemoryOutbox;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An outbox in memory, a time that a test drives, and workers that run beside the test until it ends. */
final class WorkerBench implements AutoCloseable {
    static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
    static final Duration LEASE = Duration.ofMinutes(2);
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();

    final DrivenOutboxTime time = new DrivenOutboxTime(START);
    final InMemoryOutbox memory = new InMemoryOutbox(time);
    final RecordingOutboxListener events = new RecordingOutboxListener();
    private final List<Running> running = new ArrayList<>();

    /** A worker that runs on a thread of its own. */
    static final class Running {
        final OutboxWorker worker;
        final Thread thread;
        volatile @Nullable Throwable failure;

        private Running(OutboxWorker worker) {
            this.worker = worker;
            this.thread = Thread.ofVirtual().unstarted(() -> {
                try {
                    worker.run();
                } catch (Throwable t) {
                    failure = t;
                }
            });
        }
    }

    long enqueue(OutboxMessage message) {
        try (InMemoryOutbox.Transaction transaction = memory.begin()) {
            EnqueueResult result = memory.outbox().enqueue(transaction, message);
            transaction.commit();
            memory.outbox().signal();
            return ((EnqueueResult.Enqueued) result).id();
        }
    }

    long enqueue(String key) {
        return enqueue(OutboxMessage.of(key, "{\"order\":\"%s\"}".formatted(key)));
    }

    long enqueue(String key, String orderingKey) {
        return enqueue(OutboxMessage.builder(key, "{}").orderingKey(orderingKey).build());
    }

    Running start(OutboxSender sender) {
        return start(sender, options -> options);
    }

    Running start(OutboxSender sender, UnaryOperator<OutboxWorkerOptions.Builder> change) {
        return start(memory.store(), sender, time, change);
    }

    Running start(
            OutboxStore store,
            OutboxSender sender,
            MonotonicTime clock,
            UnaryOperator<OutboxWorkerOptions.Builder> change) {
        return start(OutboxWorker.builder(store, sender).time(clock), change);
    }

    /** Starts a worker over the outbox in memory with the senders of destinations. */
    Running start(Map<String, OutboxSender> senders, UnaryOperator<OutboxWorkerOptions.Builder> change) {
        OutboxWorker.Builder worker = OutboxWorker.builder(memory.store()).time(time);
        senders.forEach(worker::sender);
        return start(worker, change);
    }

    private Running start(OutboxWorker.Builder worker, UnaryOperator<OutboxWorkerOptions.Builder> change) {
        OutboxWorkerOptions options = change.apply(
                        OutboxWorkerOptions.builder().lease(LEASE).listener(events))
                .build();
        Running started = new Running(worker.options(options).build());
        running.add(started);
        started.thread.start();
        return started;
    }

    OutboxRow row(long id) {
        return memory.operations().find(id).orElseThrow();
    }

    /** Returns the number of entries of that status. */
    long count(OutboxStatus status) {
        return memory.operations().stats().entries().getOrDefault(status, 0L);
    }

    OutboxStatus status(long id) {
        return row(id).status();
    }

    Optional<LedgerResult> ledger(String key) {
        return memory.ledger().find(key).flatMap(LedgerEntry::result);
    }

    /** Waits, by the system's time, until the entry has one of those statuses. */
    OutboxRow awaitStatus(long id, OutboxStatus... statuses) {
        await(() -> Set.of(statuses).contains(status(id)), () -> "entry is " + row(id));
        return row(id);
    }

    OutboxRow awaitParked(long id) {
        await(() -> row(id).parked(), () -> "entry is " + row(id));
        return row(id);
    }

    static void await(BooleanSupplier condition, Supplier<String> state) {
        long until = System.nanoTime() + TIMEOUT;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("waited in vain: " + state.get());
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    static void await(BooleanSupplier condition) {
        await(condition, () -> "no more is known");
    }

    /** Moves the time in steps until that holds, so that everything that waits has its turn. */
    void advanceUntil(Duration step, Duration atMost, BooleanSupplier condition) {
        for (Duration moved = Duration.ZERO; moved.compareTo(atMost) < 0; moved = moved.plus(step)) {
            requireNoFailure();
            if (condition.getAsBoolean()) {
                return;
            }
            time.advance(step);
            long until = System.nanoTime() + 5_000_000;
            while (!condition.getAsBoolean() && System.nanoTime() - until < 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        await(condition, () -> "not so after " + atMost + ", at " + time.instant());
    }

    /** Ends all workers. Advances the time meanwhile, for operations with a deadline. */
    @Override
    public void close() {
        running.forEach(each -> Thread.ofVirtual().start(each.worker::close));
        await(() -> {
            time.advance(Duration.ofMillis(100));
            return running.stream().noneMatch(each -> each.thread.isAlive());
        });
        requireNoFailure();
    }

    private void requireNoFailure() {
        running.forEach(
                each -> assertThat(each.failure).as("failure of a worker").isNull());
    }
}

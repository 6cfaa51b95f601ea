package dev.spream.outbox.worker;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes settlements in batches: each transaction contains those that were submitted while the previous one was
 * written. Many threads submit, one thread writes.
 *
 * <p>A failed batch is retried until the store responds. Meanwhile the claims are renewed; repeating a committed
 * settlement is harmless, and the store rejects settlements of claims that the worker no longer holds. A known result
 * is therefore not dropped when the lease has expired by the worker's clock; only the store can report it as too late.
 *
 * <p>A batch with a non-retryable failure is halved until the settlement that causes it is isolated. A batch that
 * failed twice is halved too, and later submissions are written meanwhile, so that one locked entry does not delay
 * others. Parts are retried one after the other, with growing pauses while all of them fail, so that the number of
 * parts does not increase the load on a store that is down.
 */
final class SettlementWriter {
    private static final Logger log = LoggerFactory.getLogger(SettlementWriter.class);
    private static final int MAX_BATCH = 500;
    private static final int TRIES_AS_A_WHOLE = 2;
    private static final Duration IDLE = Duration.ofMinutes(1);

    /** A settlement that is not written yet. */
    record Pending(ActiveClaim held, Settlement settlement) {}

    /**
     * The settlements of one transaction.
     *
     * @param failures the number of failed writes, including those of the batch it was split from
     */
    private record Batch(List<Pending> pending, int failures) {
        List<Batch> halves() {
            int half = pending.size() / 2;
            return List.of(
                    new Batch(pending.subList(0, half), failures),
                    new Batch(pending.subList(half, pending.size()), failures));
        }
    }

    private final WorkerStore store;
    private final ActiveClaims activeClaims;
    private final WorkerEvents events;
    private final MonotonicTime time;
    private final Waiter wake;
    private final ConcurrentLinkedQueue<Pending> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean finishing;
    private volatile LongSupplier finishBy = () -> Long.MAX_VALUE;

    // Confined to the thread that writes.
    private BiConsumer<List<Pending>, List<Pending>> ended = (settled, lost) -> {};
    private final Deque<Batch> again = new ArrayDeque<>();
    private long againAt;
    private final ExponentialBackoff backoff;

    SettlementWriter(
            WorkerStore store,
            ActiveClaims activeClaims,
            WorkerEvents events,
            MonotonicTime time,
            RandomGenerator random) {
        this.store = store;
        this.activeClaims = activeClaims;
        this.events = events;
        this.time = time;
        this.backoff = new ExponentialBackoff(Duration.ofMillis(20), Duration.ofSeconds(2), random);
        this.wake = new Waiter(time);
    }

    void submit(ActiveClaim held, Settlement settlement) {
        queue.add(new Pending(held, settlement));
        wake.signal();
    }

    /**
     * Makes {@link #run} return when all submitted settlements are written, or at that time, which may change, at the
     * latest.
     */
    void finish(LongSupplier by) {
        finishBy = by;
        finishing = true;
        wake.signal();
    }

    /**
     * @param whenEnded called with the settlements that the store has confirmed, and with those whose claims were lost
     */
    void run(BiConsumer<List<Pending>, List<Pending>> whenEnded) throws InterruptedException {
        ended = whenEnded;
        while (true) {
            boolean last = finishing;
            Batch batch = next();
            if (batch != null) {
                write(batch);
            } else if (last && again.isEmpty()) {
                return;
            } else {
                wake.await(again.isEmpty() ? IDLE.toNanos() : Math.max(1, againAt - time.nanoTime()));
            }
        }
    }

    /**
     * Returns the next batch to write: a failed one if its retry is due, otherwise the submitted settlements; null if
     * there are none.
     */
    private @Nullable Batch next() {
        if (!again.isEmpty() && time.nanoTime() - againAt >= 0) {
            return again.remove();
        }
        List<Pending> submitted = take();
        return submitted.isEmpty() ? null : new Batch(submitted, 0);
    }

    private List<Pending> take() {
        List<Pending> batch = new ArrayList<>();
        Pending next;
        while (batch.size() < MAX_BATCH && (next = queue.poll()) != null) {
            batch.add(next);
        }
        return batch;
    }

    private void write(Batch batch) {
        try {
            writeOnce(batch.pending());
            if (batch.failures() > 0) {
                resume();
            }
        } catch (StorageException e) {
            if (!e.retryable()) {
                writeApart(batch);
            } else if (isOver()) {
                abandonAll(batch);
            } else {
                writeLater(batch);
            }
        }
    }

    private boolean isOver() {
        return finishing && time.nanoTime() - finishBy.getAsLong() >= 0;
    }

    /** Makes failed batches due immediately, since the store responds. */
    private void resume() {
        backoff.reset();
        againAt = time.nanoTime();
    }

    private void writeLater(Batch batch) {
        Batch failed = new Batch(batch.pending(), batch.failures() + 1);
        boolean whole = failed.failures() < TRIES_AS_A_WHOLE || failed.pending().size() == 1;
        again.addAll(whole ? List.of(failed) : failed.halves());
        againAt = time.nanoTime() + backoff.next().toNanos();
    }

    private void writeOnce(List<Pending> batch) {
        long startedAt = time.nanoTime();
        List<Settlement> settlements = batch.stream().map(Pending::settlement).toList();
        Set<OutboxClaim.Ref> lost = store.settle(settlements);
        Duration took = Duration.ofNanos(time.nanoTime() - startedAt);
        events.publish(listener -> listener.committed(batch.size(), took));
        report(batch, lost);
    }

    private void report(List<Pending> batch, Set<OutboxClaim.Ref> lost) {
        List<Pending> settled = batch;
        List<Pending> late = List.of();
        if (!lost.isEmpty()) {
            settled = batch.stream()
                    .filter(pending -> !lost.contains(pending.held().ref()))
                    .toList();
            late = batch.stream()
                    .filter(pending -> lost.contains(pending.held().ref()))
                    .toList();
        }
        settled.forEach(pending -> activeClaims.remove(pending.held()));
        late.forEach(pending -> activeClaims.reportLost(pending.held(), "its settlement was written too late"));
        ended.accept(settled, late);
    }

    private void writeApart(Batch batch) {
        resume();
        if (batch.pending().size() > 1) {
            again.addAll(batch.halves());
            return;
        }
        Pending pending = batch.pending().getFirst();
        if (pending.settlement() instanceof Settlement.Succeeded succeeded
                && succeeded.result().responsePayload().isPresent()) {
            log.error(
                    "{} succeeded, but the store cannot hold the receiver's response; the entry is settled"
                            + " without the response",
                    events.label(pending.held().claim()));
            LedgerResult result = new LedgerResult(
                    LedgerStatus.SUCCEEDED, succeeded.result().httpStatus(), Optional.empty(), Optional.empty());
            Settlement without = new Settlement.Succeeded(succeeded.ref(), result);
            again.add(new Batch(List.of(new Pending(pending.held(), without)), batch.failures()));
            return;
        }
        abandon(batch.pending(), "the store cannot write its settlement");
    }

    private void abandonAll(Batch batch) {
        again.addFirst(batch);
        again.forEach(each -> abandon(each.pending(), "the store did not respond before the worker stopped"));
        again.clear();
    }

    private void abandon(List<Pending> batch, String why) {
        batch.forEach(pending -> activeClaims.reportLost(pending.held(), why));
        ended.accept(List.of(), batch);
    }
}

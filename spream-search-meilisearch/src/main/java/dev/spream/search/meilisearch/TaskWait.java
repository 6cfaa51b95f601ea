package dev.spream.search.meilisearch;

import dev.spream.core.DurationText;
import dev.spream.core.ExponentialBackoff;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Waits until the server has completed a task, polling at growing intervals. Safe for use by many threads. */
final class TaskWait implements AutoCloseable {
    private final MeilisearchClient client;
    private final Duration timeout;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private boolean closed; // guarded by the lock

    TaskWait(MeilisearchClient client, Duration timeout) {
        this.client = client;
        this.timeout = timeout;
    }

    /**
     * @throws RefusedException if the task failed
     * @throws SearchException if its result is not known in time; it may still succeed
     */
    JsonObject await(long task) {
        long until = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        ExponentialBackoff backoff = backoff();
        while (true) {
            JsonObject known = ask(task, until);
            switch (known.string("status").orElse("")) {
                case "succeeded" -> {
                    return known;
                }
                case "failed" ->
                    throw known.object("error")
                            .map(ErrorCode::of)
                            .orElse(new ErrorCode("internal", "unknown"))
                            .refused("task %d of Meilisearch at %s failed".formatted(task, client));
                case "canceled" ->
                    throw new ErrorCode("internal", "canceled")
                            .refused("task %d of Meilisearch at %s was canceled".formatted(task, client));
                default -> {}
            }
            pause(task, Math.min(backoff.next().toNanos(), until - System.nanoTime()));
        }
    }

    /** Polls the task once. A failed request is ignored as long as there is time for another one. */
    private JsonObject ask(long task, long until) {
        try {
            return client.get("/tasks/" + task);
        } catch (RefusedException e) {
            if (e.failure().kind() != FailureKind.TRANSIENT || until - System.nanoTime() <= 0) {
                throw e;
            }
        } catch (SearchException e) {
            if (until - System.nanoTime() <= 0 || Thread.currentThread().isInterrupted()) {
                throw e;
            }
        }
        return JsonObject.EMPTY;
    }

    private void pause(long task, long nanos) {
        if (nanos <= 0) {
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "task %d of Meilisearch at %s was not completed within %s; it may still succeed, and its documents are sent again"
                            .formatted(task, client, DurationText.of(timeout)),
                    null);
        }
        rest(nanos);
    }

    void rest(long nanos) {
        long left = nanos;
        lock.lock();
        try {
            while (left > 0 && !closed) {
                left = closing.awaitNanos(left);
            }
            if (closed) {
                throw new SearchException(
                        FailureKind.TRANSIENT,
                        "the search engine was closed before Meilisearch completed the task; it may still complete",
                        null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "interrupted before Meilisearch completed the task; it may still complete",
                    e);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the pauses between polls, for the calling thread. */
    static ExponentialBackoff backoff() {
        return new ExponentialBackoff(Duration.ofMillis(20), Duration.ofMillis(500), ThreadLocalRandom.current());
    }

    Duration timeout() {
        return timeout;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

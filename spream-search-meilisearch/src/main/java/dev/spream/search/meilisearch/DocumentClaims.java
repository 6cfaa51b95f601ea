package dev.spream.search.meilisearch;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The documents of an index that are being written. From reading their versions until they are written, no other thread
 * of this process writes them. Safe for use by many threads.
 */
final class DocumentClaims {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<String> claimed = new HashSet<>(); // guarded by the lock
    private final LateRequests late;

    /** @param window how long an unanswered request may still arrive */
    DocumentClaims(Duration window) {
        this.late = new LateRequests(window);
    }

    LateRequests late() {
        return late;
    }

    /** Runs the work while this thread alone has claimed the documents. */
    void with(Set<String> ids, Runnable work) {
        claim(ids);
        try {
            work.run();
        } finally {
            release(ids);
        }
    }

    private void claim(Set<String> ids) {
        lock.lock();
        try {
            while (!Collections.disjoint(claimed, ids)) {
                changed.await();
            }
            claimed.addAll(ids);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SearchException(
                    FailureKind.TRANSIENT, "interrupted before anything was written to the search index", e);
        } finally {
            lock.unlock();
        }
    }

    private void release(Set<String> ids) {
        lock.lock();
        try {
            claimed.removeAll(ids);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}

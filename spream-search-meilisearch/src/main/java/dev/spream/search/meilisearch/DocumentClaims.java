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
 * The documents of an index that are being written: from when their versions are read until they are there, no other
 * thread of this process writes them. Safe for use by many threads.
 */
final class DocumentClaims {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<String> claimed = new HashSet<>(); // guarded by the lock
    private final LateRequests late;

    /** @param window how long a request may come that was not answered */
    DocumentClaims(Duration window) {
        this.late = new LateRequests(window);
    }

    LateRequests late() {
        return late;
    }

    /** Does something with documents to itself. */
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

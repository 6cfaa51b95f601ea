package dev.spream.core.subscription.inflight;

import dev.spream.core.internal.SectionLock;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;

/**
 * The limit on the number and bytes of changes in flight over all partitions of a subscriber. Both are granted
 * together: two semaphores could each be held by a partition that waits for the other. Safe for use by many threads.
 *
 * <p>No partition waits for ever: one that holds nothing is granted anything at once, even if it is larger than the
 * whole budget. So a waiting partition holds a change, which is settled without further budget: neither its consumer
 * needs any, nor do the changes before it in its lanes, which hold theirs already. Each settlement returns budget,
 * and after the last one of its partition the waiting one holds nothing. No partition's progress depends on
 * another's.
 */
public final class Budget {
    private final int maxChanges;
    private final long maxBytes;
    private final SectionLock lock = new SectionLock();

    // Guarded by lock, like the fields of the shares.
    private final Set<Share> waiting = new LinkedHashSet<>();
    private long changes;
    private long bytes;

    public Budget(int maxChanges, long maxBytes) {
        this.maxChanges = maxChanges;
        this.maxBytes = maxBytes;
    }

    /** Opens the share of a partition. */
    public Share open() {
        return new Share();
    }

    private boolean hasRoom(long wanted) {
        return changes < maxChanges && bytes + wanted <= maxBytes;
    }

    /**
     * Grants waiting requests that fit, longest wait first; one that is too large now does not hold up smaller ones.
     */
    private void grantWaiting() {
        for (Share share : waiting) {
            if (!share.granted && share.fits(share.wanted)) {
                share.take(share.wanted);
                share.granted = true;
                share.changed.signal();
            }
        }
    }

    /** The share of one partition. Its reader acquires; the thread that settles a record releases. */
    public final class Share {
        private final Condition changed = lock.newCondition();
        private int held;
        private long heldBytes;
        private long wanted;
        private boolean granted;
        private boolean stopped;

        private Share() {}

        /** Acquires room for one change of that size if that needs no wait. */
        public boolean tryAcquire(long size) {
            lock.lock();
            try {
                boolean acquired = !stopped && fits(size);
                if (acquired) {
                    take(size);
                }
                return acquired;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Acquires room for one change of that size, waiting for it. One thread at a time.
         *
         * @return false if the share was stopped; nothing was acquired then
         */
        public boolean acquire(long size) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                if (stopped) {
                    return false;
                }
                if (fits(size)) {
                    take(size);
                    return true;
                }
                return await(size);
            } finally {
                lock.unlock();
            }
        }

        private boolean await(long size) throws InterruptedException {
            wanted = size;
            granted = false;
            waiting.add(this);
            try {
                while (!granted && !stopped) {
                    changed.await();
                }
                return granted;
            } catch (InterruptedException e) {
                if (granted) {
                    give(1, wanted);
                }
                throw e;
            } finally {
                waiting.remove(this);
            }
        }

        /** Releases the budget of one change. Harmless after {@link #close}. */
        public void release(long size) {
            lock.lock();
            try {
                if (held > 0) {
                    give(1, size);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Ends acquiring: a waiting request fails, and so do later ones. */
        public void stop() {
            lock.run(() -> {
                stopped = true;
                changed.signal();
            });
        }

        /** Releases all that is left. */
        public void close() {
            lock.run(() -> {
                stopped = true;
                give(held, heldBytes);
            });
        }

        private boolean fits(long size) {
            return held == 0 || hasRoom(size);
        }

        private void take(long size) {
            held++;
            heldBytes += size;
            changes++;
            bytes += size;
        }

        private void give(int count, long size) {
            held -= count;
            heldBytes -= size;
            changes -= count;
            bytes -= size;
            grantWaiting();
        }
    }
}

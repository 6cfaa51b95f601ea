package dev.spream.lock.provisioning;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStore;

/**
 * Creates and checks the buckets that locks are taken on, for the operator of a database. A {@link LockStore} opens
 * only a complete layout.
 *
 * <p>Several processes may provision at the same time: they share the work. Used by one thread at a time; throws
 * {@link LockException}s.
 */
public interface BucketProvisioning extends AutoCloseable {

    /** The layout that will be provisioned: as configured; unconfigured parts as recorded, or else the default. */
    BucketLayout layout();

    /**
     * Records the layout, if none is recorded, and creates all missing buckets. It proceeds in chunks, each committed
     * together with its progress, so that a call continues where an earlier one stopped or crashed. Existing buckets
     * may be in use meanwhile.
     *
     * @throws BucketSpaceException if another layout is recorded; nothing was changed
     * @throws InterruptedException if the thread was interrupted; the last chunk is complete
     */
    Provisioned provision(Progress progress) throws InterruptedException;

    /**
     * Removes all buckets and the record of the layout, so that another one can be provisioned. Every process that
     * locks here must be stopped first: the locks of one that continues would exclude no other process.
     *
     * @throws LockBusyException if locks are held; nothing was changed
     */
    void clear();

    /**
     * Compares the buckets with the layout. Changes nothing.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    BucketSpaceCheck check(Progress progress) throws InterruptedException;

    /** Closes what this opened. Closing again is harmless. */
    @Override
    void close();

    /** Receives the progress after each chunk, on the calling thread. */
    @FunctionalInterface
    interface Progress {
        /**
         * Called with the number of completed buckets.
         *
         * @param done including those that existed before
         */
        void reached(long done, long all);
    }

    /**
     * The buckets after a call.
     *
     * @param rows the number of buckets, all of which exist; 0 if they need no rows
     * @param made how many of them this call created
     */
    record Provisioned(BucketLayout layout, long rows, long made) {}
}

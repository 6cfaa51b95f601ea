package dev.spream.lock.provisioning;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockStore;

/**
 * Makes what locks are taken on, and judges it, for whoever operates a database. A {@link LockStore} opens only what is
 * complete.
 *
 * <p>Several processes may provision at the same time: they share the work. Used by one thread at a time; what this throws is a
 * {@link LockException}.
 */
public interface BucketProvisioning extends AutoCloseable {

    /** What will be provisioned: what was asked for; what was left open is as recorded, or else the default. */
    BucketLayout layout();

    /**
     * Records the layout, if none is, and makes every bucket of it that is not there. It proceeds in chunks, each committed
     * with the note how far it is, so that a call goes on where another one was stopped, however that ended. What is there
     * already may be in use meanwhile.
     *
     * @throws BucketSpaceException if another layout is recorded; nothing was changed
     * @throws InterruptedException if the thread was interrupted; the last chunk is complete
     */
    Provisioned provision(Progress progress) throws InterruptedException;

    /**
     * Removes all buckets and the record of the layout, so that another one can be provisioned. Every process that locks
     * here has to be stopped first: one that goes on would exclude nobody.
     *
     * @throws LockBusyException if somebody holds locks; nothing was changed
     */
    void clear();

    /**
     * Compares what is there with what should be. Changes nothing.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    BucketSpaceCheck check(Progress progress) throws InterruptedException;

    /** Closes what this opened. Closing again is harmless. */
    @Override
    void close();

    /** Told how far it is, after each chunk, on the thread that called. */
    @FunctionalInterface
    interface Progress {
        /**
         * So many buckets of all are done.
         *
         * @param done those included that were there before
         */
        void reached(long done, long all);
    }

    /**
     * The buckets after a call.
     *
     * @param rows how many buckets have to be there, and are; 0 if they need no rows
     * @param made how many of them this call made
     */
    record Provisioned(BucketLayout layout, long rows, long made) {}
}

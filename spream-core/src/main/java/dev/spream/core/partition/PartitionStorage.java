package dev.spream.core.partition;

import dev.spream.core.StorageException;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The stored state of one subscription: its record, its partitions, their owners and their progress.
 *
 * <p>The contract, for every method:
 *
 * <ul>
 *   <li><b>Atomic</b>: a method makes all of its changes or none, unless it works row by row and returns the rows
 * that it did not change.
 *   <li><b>Repeatable</b>: a second call after a lost confirmation does no harm and returns the result of the first.
 *   <li><b>Fenced</b>: a write under a lease changes nothing unless the stored owner and epoch are the lease's;
 *       otherwise the lease is lost. An expired lease does not by itself void a write: until another worker acquires
 *       the partition, nothing conflicts.
 *   <li><b>Durable</b>: changes survive a crash once the method has returned, if the storage is durable at all.
 *   <li><b>Exact</b>: timestamps keep their nanoseconds, up to 9999-12-31T23:59:59.999999999Z; tokens have any length.
 *   <li><b>One clock</b>: leases and registrations are measured on the storage's clock, never the caller's.
 *   <li>An <b>unknown token</b> in a write under a lease is a lost lease: the partition was removed.
 * </ul>
 *
 * <p>A stored <b>watermark</b> means: every record of the partition with an earlier commit timestamp is settled, but
 * for those in its recorded gaps. It moves forward by {@link #advanceWatermarks} and {@link #finish} past settled
 * changes, and by {@link #acceptGap} past lost ones; it never moves back. An operator's {@link #correct} may begin anew.
 *
 * <p>Methods block, and throw {@link StorageException} when the storage fails. One that works row by row does not
 * wait for rows that another session has locked, if the storage can detect them: it processes the others, and then
 * throws {@link BusyPartitionsException}; an acquire leaves them out instead. They are called by many threads at
 * once. The creator of the storage closes it, after the last subscriber that uses it.
 */
public interface PartitionStorage extends AutoCloseable {

    /**
     * Opens the subscription: stores the requested record and its root partition if there is none, and returns the
     * stored record. An existing subscription is returned unchanged, whatever was requested; the caller compares the
     * two.
     */
    SubscriptionRecord openSubscription(SubscriptionRecord requested);

    /** Returns the subscription as stored; empty if it was never opened. */
    Optional<SubscriptionRecord> subscription();

    /**
     * Returns when the subscription was stored, on the storage's clock; empty if it was never opened. It stays the same
     * as long as the subscription is stored, corrections included, and so distinguishes it from another one of that
     * name: in another storage, or stored anew after it was removed.
     */
    Optional<Instant> createdAt();

    /**
     * Marks the subscription as completed if all its partitions are finished, decided and stored in one step.
     * Partitions that clean-up removed were finished; a subscription that was never opened is not completed.
     *
     * @return whether the subscription is completed, now or before
     */
    boolean completeIfAllFinished();

    /**
     * Returns all partitions and their state at one moment, ordered by start timestamp, then by token as Java compares
     * text.
     */
    Lineage lineage();

    /**
     * Returns the part of the lineage that decides what may be acquired: every unfinished partition, and of the
     * finished ones those that an unfinished one names as a parent or as a source of its move-in; at one moment, ordered
     * like the lineage. The gate gives the same results for it as for the whole lineage. Its cost must not grow with the
     * number of finished partitions.
     */
    Lineage frontier();

    /**
     * Returns what changed in the frontier since an earlier look, so that the cost of a look grows with the changes and
     * not with the number of partitions. Workers look about once a second.
     *
     * <p>A partition has changed when it was added, acquired, marked as running, given a wait or a gap, released, or
     * finished; not when only its lease was renewed or its watermark advanced. Whatever was stored before the moment of
     * the earlier look, and nothing else, is left out; a partition may be returned again without a further change. Each
     * unfinished partition that is returned comes with the finished ones that it names as parents or as sources of its
     * move-in. The look is complete without a mark, and with one of before a {@linkplain #correct correction}. If a
     * partition that changed since was removed, the look is complete or has it as a finished one. A storage may return a
     * complete look at any time.
     *
     * @param since the mark of the earlier look; empty for all
     * @param watched partitions that are returned in any case, if they are stored
     * @throws IllegalArgumentException if the mark is not one of this storage
     */
    default FrontierChanges frontierSince(Optional<String> since, Set<PartitionToken> watched) {
        List<WorkerRegistration> workers = workers(); // first: they may know more than a frontier from before
        return FrontierChanges.everything(frontier(), workers);
    }

    /**
     * Acquires partitions independently of each other: a partition is acquired if it is not FINISHED, its epoch is that
     * of the claim, and no live lease on it exists. Its epoch grows by one, its owner and lease are set, CREATED
     * becomes SCHEDULED, and the time of the first acquire is kept. The caller must have checked that its parents are
     * finished and that it need not wait for a move-in ({@link Lineage#claimable()}).
     *
     * @param leaseTime how long the lease lasts from now on the storage's clock; at least a millisecond
     * @return the leases that were acquired, in the order of the claims; a claim that lost is absent. Repeating a call
     *     whose confirmation was lost returns nothing; those partitions can be acquired again when their leases have
     *     expired
     * @throws StorageException if the call may have failed for all of them; those that were acquired nevertheless can
     *     be acquired again in the same way
     */
    List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime);

    /**
     * Takes the partition from SCHEDULED to RUNNING; one that is RUNNING stays so.
     *
     * @return false if the lease was lost or the partition is finished
     */
    boolean markRunning(PartitionLease lease);

    /**
     * Extends leases, independently of each other, to last that long from now on the storage's clock. An expired lease
     * is renewed like any other as long as no other worker has acquired the partition.
     *
     * @return the partitions whose lease was lost; a lease on a finished partition counts as lost
     * @throws BusyPartitionsException if another session has locked some; the others are done
     */
    Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime);

    /**
     * Adds the children that are not stored yet, as CREATED, with the record's start timestamp as their start and
     * watermark; a child already present is left untouched, whatever its state: both parents of a merge report the same
     * one. A child that clean-up removed stays removed. Either all new children are stored or none, and none unless the
     * parent is RUNNING under this lease. Partitions that a start record of a stream with mutable key ranges names are
     * added in the same way, without parents.
     *
     * @return false if the parent's lease was lost, or the parent is not RUNNING
     */
    boolean addChildren(PartitionLease parent, ChildPartitionsRecord children);

    /**
     * Moves watermarks forward, independently of each other. A watermark that is not later than the stored one changes
     * nothing, and is not an error. Move-outs are stored with their watermark: those of an earlier one are dropped, those
     * of the stored watermark itself are {@linkplain MoveOuts#and added}, those of an earlier watermark are ignored.
     *
     * @return the partitions whose lease was lost, or that are not RUNNING
     * @throws BusyPartitionsException if another session has locked some; the others are done
     */
    Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances);

    /**
     * Stores that the partition waits for the sources of a move-in, in place of an earlier one. The wait ends without a
     * further call, as {@link Lineage#awaitedSources} says; storing it again changes nothing.
     *
     * @return false if the lease was lost, or the partition is not RUNNING
     */
    boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn);

    /**
     * Accepts that records of a RUNNING partition were lost to the retention period: records the gap and moves the
     * watermark to its end, in one step. The gap starts at the stored watermark, so a later watermark must be stored
     * first. A gap that is recorded already changes nothing and is accepted again, wherever the watermark stands by
     * now.
     *
     * @return false if the lease was lost, or the partition is not RUNNING
     * @throws IllegalArgumentException if the gap is new and does not start at the stored watermark; nothing was
     *     changed
     */
    boolean acceptGap(PartitionLease lease, PartitionGap gap);

    /**
     * Takes the partition from RUNNING to FINISHED with its last watermark (stored only if later) and the proof of
     * its end, and ends the lease; its owner stays as the last holder, and so do its gaps. Every child that the proof
     * names must have been added before, unless the proof is a {@linkplain PartitionEnd.Kind#PARTITION_END partition end
     * record}; it may have been removed since. Finishing again under the same lease changes
     * nothing and returns true.
     *
     * @return false if the lease was lost
     * @throws IllegalArgumentException if the partition is not RUNNING, or a child that the proof names is not stored
     */
    boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof);

    /**
     * Releases partitions, independently of each other: the owner and the lease are cleared, state and epoch stay, and
     * any worker may acquire them at once. A lease that was lost, or a finished partition, is left as it is.
     *
     * @throws BusyPartitionsException if another session has locked some; the others are done
     */
    void release(Collection<PartitionLease> leases);

    /**
     * Releases those of the partitions whose leases have ended, so that {@linkplain #frontierSince looks} show it: others
     * leave the partitions of a worker to it as long as it is registered. Some may be left for a later call, if another
     * session has locked them. Not needed where every look is complete.
     */
    default void releaseExpired(Collection<PartitionLease> leases) {}

    /**
     * Registers the worker, or extends its registration, to last that long from now on the storage's clock.
     *
     * @param capacity how many partitions the worker can read at the same time, at least 1; replaces the stored
     *     capacity
     * @param wholeTransactions whether the worker delivers whole transactions; replaces what is stored
     * @param progress the low watermark of the worker's partitions; replaces what is stored
     */
    void registerWorker(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime);

    /** Registers a worker that delivers each change by itself, without a low watermark. */
    default void registerWorker(WorkerId worker, int capacity, Duration aliveTime) {
        registerWorker(worker, capacity, false, Optional.empty(), aliveTime);
    }

    /** Removes the registration; harmless if there is none. Partitions that the worker holds are not touched. */
    void unregisterWorker(WorkerId worker);

    /** Returns all registrations, including expired ones, ordered by the time they were made, then by worker. */
    List<WorkerRegistration> workers();

    /** Removes expired registrations, by the storage's clock, and returns their number. */
    int expireWorkers();

    /**
     * Removes partitions that finished before that moment and that no unfinished partition names as a parent or as a
     * source of its move-in, and
     * keeps the {@link FinishedPartition} of each as its proof. Parents stay until their children are finished, because the gate
     * is evaluated again at each take-over, and a parent that is not stored may hold the child up.
     *
     * @return how many were removed
     */
    int cleanUp(Instant finishedBefore);

    /** Returns the proofs of removed partitions, ordered by start timestamp, then token. */
    List<FinishedPartition> proofs();

    /**
     * Removes proofs of partitions that finished before that moment, those first that finished first, a bounded number in
     * one call; and in the same step stores in the {@linkplain SubscriptionRecord#forgotten record} from when on the lineage
     * is proven: a nanosecond after the last end of a partition that was ever forgotten. A proof stays if it is {@linkplain
     * ForgottenProofs#mayForget one to keep}, and while an unfinished partition has not {@linkplain
     * PartitionMetadata#discoveredUntil discovered} everything up to the end of its partition: until then it may be named
     * again. All stay when no partition is unfinished.
     *
     * @return how many were removed; none if there were none, or others wrote the record at the same time
     */
    int forgetProofs(Instant finishedBefore);

    /**
     * Stores the {@linkplain Correction#plan plan} of the correction, for the subscription as stored, and its audit line, in
     * one step, which no acquire and no registration of a worker overlaps. Nothing is stored if the correction is refused,
     * or if the subscription is as requested: a repeated call changes nothing.
     *
     * <p>A worker that opened the subscription before reads it again when it registers, before it claims anything.
     */
    CorrectionOutcome correct(Correction correction, CorrectionAct act);

    /** Returns the audit lines of the corrections of this subscription, oldest first. */
    List<AuditedCorrection> corrections();

    /** Frees what the storage holds open; the storage is not usable afterwards. Closing again is harmless. */
    @Override
    void close();
}

package dev.spream.lock;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The locks that were taken in a transaction of a caller's, over all calls that join it. When it ends is the caller's affair, and
 * its connection may be in another one by now: so what is remembered matters to no call before the store has said that the
 * transaction still is the same. It may refuse a call then, and spares it no lock. Confined to the transaction's user, but for
 * {@link #isOf}.
 */
final class JoinedTransaction {
    private final BucketSpace space;
    private OwnerLocks locks;
    private String transaction = "";
    private volatile Thread thread = Thread.currentThread();

    JoinedTransaction(BucketSpace space) {
        this.space = space;
        this.locks = lent(space);
    }

    private static OwnerLocks lent(BucketSpace space) {
        OwnerLocks none = new OwnerLocks(space);
        none.lend();
        return none;
    }

    /** Whether it was used last by that thread. */
    boolean isOf(Thread user) {
        return thread.equals(user);
    }

    /**
     * The locks to take for the request, what is remembered as held included.
     *
     * @param isCurrent whether the transaction that a store has named so is still running
     * @throws LockOrderException if one of them must not be taken any more
     */
    List<PlannedLock> toTake(LockRequest request, Predicate<String> isCurrent) {
        thread = Thread.currentThread();
        if (locks.matterTo(request) && !isCurrent.test(transaction)) {
            forget();
        }
        return locks.missing(request);
    }

    /** The locks that were to be taken are held, in that transaction; what was held in another is over. */
    void add(String name, LockRequest request, List<PlannedLock> taken) {
        if (!name.equals(transaction)) {
            forget();
            transaction = name;
        }
        locks.add(request, taken);
    }

    void forget() {
        locks = lent(space);
    }

    /** What it holds that is in the way of those. */
    Optional<LockRequest> conflicting(List<PlannedLock> wanted, Predicate<String> isCurrent) {
        return locks.conflictWith(wanted) && isCurrent.test(transaction) ? locks.request() : Optional.empty();
    }
}

package dev.spream.lock;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The locks taken in a transaction of a caller, over all calls that join it. The caller ends the transaction, and its
 * connection may have begun another one: so remembered locks count only after the store has confirmed that the
 * transaction is still the same. They may cause a call to be refused, but never spare it a lock. Confined to the
 * transaction's user, except for {@link #isOf}.
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

    /** Returns whether that thread used it last. */
    boolean isOf(Thread user) {
        return thread.equals(user);
    }

    /**
     * Returns the locks to take for the request, including those remembered as held.
     *
     * @param isCurrent whether the transaction with that mark is still running
     * @throws LockOrderException if one of them must not be taken any more
     */
    List<PlannedLock> toTake(LockRequest request, Predicate<String> isCurrent) {
        thread = Thread.currentThread();
        if (locks.affect(request) && !isCurrent.test(transaction)) {
            forget();
        }
        return locks.missing(request);
    }

    /** Records that the locks were taken in that transaction; locks of an earlier transaction are forgotten. */
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

    /** Returns its locks that conflict with those. */
    Optional<LockRequest> conflicting(List<PlannedLock> wanted, Predicate<String> isCurrent) {
        return locks.conflictWith(wanted) && isCurrent.test(transaction) ? locks.request() : Optional.empty();
    }
}

package dev.spream.core.lock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The locks that were taken in a transaction of a caller's, over all calls that join it. When it ends is the caller's affair, and
 * its connection may be in another one by now: so what is remembered refuses nothing before the store has said that the
 * transaction still is the same, and a call takes again what is remembered as held. Confined to the transaction's user, but for
 * {@link #isOf}.
 *
 * <p>Some stores cannot tell two transactions by what they say; they mark each call of its own. So there may be several parts,
 * the oldest first, each of one transaction.
 */
final class JoinedTransaction {
    /** Older ones are forgotten: the database then finds the deadlock that would have been refused. */
    private static final int MAX_PARTS = 16;

    private final LockSpace space;
    private final Deque<Part> parts = new ArrayDeque<>();
    private volatile Thread thread = Thread.currentThread();

    /** What was taken in one transaction. */
    private record Part(String transaction, HeldLocks locks) {}

    JoinedTransaction(LockSpace space) {
        this.space = space;
    }

    /** Whether it was used last by that thread. */
    boolean isOf(Thread user) {
        return thread.equals(user);
    }

    /**
     * The locks to take for the request: all that it needs, but for what is below a target that is held exclusively.
     *
     * @param isCurrent whether the transaction that a store has named so is still running
     * @throws LockOrderException if one of them must not be taken any more
     */
    List<PlannedLock> toTake(LockRequest request, Predicate<String> isCurrent) {
        thread = Thread.currentThread();
        LockRequest left = request;
        for (Iterator<Part> remembered = parts.iterator(); remembered.hasNext(); ) {
            Part part = remembered.next();
            if (part.locks.matterTo(left)) {
                if (isCurrent.test(part.transaction)) {
                    List<PlannedLock> ignored = part.locks.missing(left);
                    if (part.locks.covers(left)) {
                        return List.of();
                    }
                    left = part.locks.uncovered(left);
                } else {
                    remembered.remove();
                }
            }
        }
        return LockPlan.of(left, space).locks();
    }

    /** The locks that were to be taken are held, in that transaction. */
    void add(String transaction, LockRequest request, List<PlannedLock> taken) {
        if (taken.isEmpty()) {
            return;
        }
        Part last = parts.peekLast();
        if (last == null || !last.transaction.equals(transaction)) {
            last = new Part(transaction, new HeldLocks(space));
            parts.addLast(last);
        }
        last.locks.add(request, taken);
        if (parts.size() > MAX_PARTS) {
            parts.removeFirst();
        }
    }

    /** It holds nothing any more. */
    void forget() {
        parts.clear();
    }

    /** What it holds that is in the way of those. */
    Optional<LockRequest> conflicting(List<PlannedLock> wanted, Predicate<String> isCurrent) {
        return parts.stream()
                .filter(part -> part.locks.conflictWith(wanted) && isCurrent.test(part.transaction))
                .findFirst()
                .flatMap(part -> part.locks.request());
    }
}

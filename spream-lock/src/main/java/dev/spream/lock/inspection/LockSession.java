package dev.spream.lock.inspection;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.PlannedLock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A connection as the database shows it.
 *
 * @param id as in {@link AcquiredLocks#session}: also used to end it
 * @param held the locks that the database shows it to hold, in the order of their keys
 * @param wanted the lock that it waits for; empty if it waits for none, or the database does not say which
 * @param elsewhere whether it waits for something other than these locks
 * @param blockedBy the sessions that it waits for, as the database reports them: holders of the lock that it wants,
 *     and waiters ahead of it. Empty if it does not wait
 * @param since when its transaction began
 * @param waitingSince when it began to wait
 */
public record LockSession(
        String id,
        Client client,
        List<PlannedLock> held,
        Optional<PlannedLock> wanted,
        boolean elsewhere,
        Set<String> blockedBy,
        Optional<Instant> since,
        Optional<Instant> waitingSince) {
    public LockSession {
        held = List.copyOf(held);
        blockedBy = Set.copyOf(blockedBy);
    }

    public boolean isWaiting() {
        return wanted.isPresent() || !blockedBy.isEmpty();
    }

    /** Returns the blocking sessions in a fixed order. */
    Set<String> blockers() {
        return new TreeSet<>(blockedBy);
    }

    /**
     * The client of a session; values that this user may not see are empty.
     *
     * @param state what it does, in the database's words, such as {@code idle in transaction}
     * @param stateSince when it entered that state
     */
    public record Client(String user, String address, String application, String state, Optional<Instant> stateSince) {}
}

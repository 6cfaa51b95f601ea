package dev.spream.emulator.internal.engine;

import dev.spream.emulator.internal.sql.Errors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The locks of read-write transactions on unique keys that they add or remove: another transaction waits for the end of
 * the one that has the lock. Without them the engine would repeat its statement without a pause. Safe for use by many
 * threads.
 *
 * <p>A transaction waits for a key here, or for a row in the engine, which knows cycles of rows alone. A cycle with a
 * key in it is found within {@link #CYCLE_CHECK_MILLIS} by a transaction that waits for a key.
 *
 * @param <K> a key
 */
public final class KeyLocks<K> {
    private static final long CYCLE_CHECK_MILLIS = 20;

    private final Duration maxWait;

    /** Guards the owners and what they own. */
    private final ReentrantLock use = new ReentrantLock();

    private final Condition released = use.newCondition();
    private final Map<K, Integer> owners = new HashMap<>();
    private final Map<Integer, List<K>> owned = new HashMap<>();

    /** The views of open transactions, by session. */
    private final Map<Integer, WriterView> open = new ConcurrentHashMap<>();

    /** The sessions that wait for a key, each with the owner's. */
    private final Map<Integer, Integer> waits = new ConcurrentHashMap<>();

    /** @param maxWait how long a transaction waits for a key */
    public KeyLocks(Duration maxWait) {
        this.maxWait = maxWait;
    }

    /** Adds a transaction, which {@link #end} removes. */
    public void begin(WriterView view) {
        open.put(view.session(), view);
    }

    /** Unlocks the keys of a transaction whose rows are committed or rolled back. */
    public void end(WriterView view) {
        use.lock();
        try {
            open.remove(view.session());
            List<K> keys = owned.remove(view.session());
            if (keys != null) {
                keys.forEach(owners::remove);
                released.signalAll();
            }
        } finally {
            use.unlock();
        }
    }

    /**
     * Locks a key; harmless if the transaction has it.
     *
     * @throws io.grpc.StatusRuntimeException ABORTED if the owner waits for this transaction, or does not end
     */
    public void lock(WriterView view, K key) {
        if (!tryLock(view, key)) {
            throw Errors.aborted("Transaction was aborted: it waited too long for others to end");
        }
    }

    /**
     * Locks a key as {@link #lock} does, but returns false if the owner does not end.
     *
     * @throws io.grpc.StatusRuntimeException ABORTED if the owner waits for this transaction
     */
    public boolean tryLock(WriterView view, K key) {
        int session = view.session();
        long end = System.nanoTime() + maxWait.toNanos();
        use.lock();
        try {
            for (Integer owner; (owner = owners.putIfAbsent(key, session)) != null; ) {
                if (owner == session) {
                    return true;
                }
                waits.put(session, owner);
                if (waitsFor(owner, session)) {
                    throw Errors.aborted("Transaction was aborted: it and others waited for each other's keys or rows");
                }
                if (System.nanoTime() > end) {
                    return false;
                }
                released.await(CYCLE_CHECK_MILLIS, TimeUnit.MILLISECONDS);
            }
            owned.computeIfAbsent(session, any -> new ArrayList<>()).add(key);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Errors.aborted("Transaction was aborted while it waited for others to end");
        } finally {
            waits.remove(session);
            use.unlock();
        }
    }

    private boolean waitsFor(int waiting, int session) {
        Set<Integer> seen = new HashSet<>();
        for (int next = waiting; next != 0 && seen.add(next); next = blocker(next)) {
            if (next == session) {
                return true;
            }
        }
        return false;
    }

    /** Returns the session of the transaction whose key or row the one of that session waits for, or 0. */
    public int blocker(int session) {
        Integer owner = waits.get(session);
        if (owner != null) {
            return owner;
        }
        WriterView view = open.get(session);
        return view == null ? 0 : view.blocker();
    }
}

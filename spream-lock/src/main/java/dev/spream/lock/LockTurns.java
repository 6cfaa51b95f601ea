package dev.spream.lock;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.SectionLock;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * The turns of calls that wait for locks on the connections that a store keeps for handles. Calls that wait in the
 * database use at most half of these connections, so that other calls can take free locks, and those for one lock at
 * most a quarter; further calls are queued here, without a connection, in the order of arrival for each lock. A call
 * that got its lock may wait for the next one regardless of that lock's share.
 *
 * <p>If calls wait for more locks than that, the locks take turns: a call that has waited in the database for a second
 * passes its connection to one that is queued for another lock, or that lacks a connection, and is queued itself; the
 * next time it may wait twice as long, up to 16 seconds. While no call waits for a lock in the database, the first call
 * that is queued for it tries to take it periodically, so that a free lock needs no turn.
 *
 * <p>Safe for use by many threads. A store has one.
 */
public final class LockTurns {
    private static final Duration SLICE = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final int MAX_DOUBLINGS = 4;
    private static final long FIRST_PAUSE = Duration.ofMillis(50).toNanos();
    private static final long LAST_PAUSE = Duration.ofSeconds(1).toNanos();
    private static final long A_DAY = Duration.ofDays(1).toNanos();

    private final int most;
    private final int mostOfOne;
    private final AtomicLong lastNumber = new AtomicLong();
    private final SectionLock lock = new SectionLock();

    // Guarded by the lock, as are the fields of turns.
    private final Map<LockKey, NavigableSet<Turn>> queues = new LinkedHashMap<>(); // whose turn is next comes first
    private final Set<Turn> admitted = new LinkedHashSet<>();
    private final Set<Shortage> shortages = new LinkedHashSet<>(); // the longest first

    private LockTurns(int handles) {
        this.most = Math.max(1, handles / 2);
        this.mostOfOne = Math.max(1, most / 2);
    }

    /**
     * Returns the turns of a store with that maximum number of simultaneous transactions of {@link LockStore#begin}, 1
     * or more.
     */
    public static LockTurns of(int handles) {
        if (handles < 1) {
            throw new IllegalArgumentException("handles is %d, must be 1 or more".formatted(handles));
        }
        return new LockTurns(handles);
    }

    /** Returns the turns of a store without such a limit: all calls wait in the database. */
    public static LockTurns unlimited() {
        return new LockTurns(Integer.MAX_VALUE);
    }

    /** Called when a call of {@link LockStore#begin} begins to wait for a connection; {@link Shortage#end} ends it. */
    public Shortage shortage() {
        Shortage shortage = new Shortage();
        lock.run(() -> {
            shortages.add(shortage);
            warnStuck();
        });
        return shortage;
    }

    /** The time in which a call waits for a connection. */
    public final class Shortage {
        private final long since = System.nanoTime();

        private Shortage() {}

        /** Ends the shortage. Harmless if it has ended. */
        public void end() {
            lock.run(() -> shortages.remove(this));
        }
    }

    Turn next() {
        return new Turn(lastNumber.incrementAndGet());
    }

    /**
     * The turn of one call, used by its thread: without a state at first, then queued for a lock, or admitted to wait
     * for one.
     */
    final class Turn implements Comparable<Turn> {
        private final long number;
        private final Condition moved = lock.newCondition();
        private @Nullable LockKey key; // the lock that it is queued or admitted for
        private boolean waits; // in the database
        private boolean leaves; // the database
        private long since;
        private int gaveWay;
        private long pause = FIRST_PAUSE; // until it tries what it is queued for
        private boolean ended;

        private Turn(long number) {
            this.number = number;
        }

        /** Returns the number of the call in this store. */
        long number() {
            return number;
        }

        /** The earlier call comes first. */
        @Override
        public int compareTo(Turn other) {
            return Long.compare(number, other.number);
        }

        /**
         * Returns whether the call may wait for that lock in the database now; if not it is queued, which it has to {@linkplain
         * #queue wait for}. A call that was admitted for an earlier lock has that one, and keeps its turn.
         */
        boolean enter(LockKey next) {
            return lock.get(() -> {
                LockKey last = key;
                if (last == null || !admitted.contains(this) || last.compareTo(next) > 0) {
                    leave();
                    if (admitted.size() >= most || !isNextFor(next)) {
                        enqueue(next);
                        return false;
                    }
                    admitted.add(this);
                    key = next;
                } else if (!last.equals(next)) {
                    key = next;
                    leaves = false;
                    admit();
                    wakeFirst(last);
                }
                return true;
            });
        }

        private void enqueue(LockKey next) {
            key = next;
            queues.computeIfAbsent(next, any -> new TreeSet<>()).add(this);
            admit();
        }

        private boolean isNextFor(LockKey next) {
            NavigableSet<Turn> queue = queues.get(next);
            return hasRoom(next) && (queue == null || queue.first().compareTo(this) > 0);
        }

        /**
         * Waits, without a connection, until the call may wait for that lock in the database, or may try to take it without.
         *
         * @return whether it may wait; false also if the deadline is over or the turn {@linkplain #end ended}
         */
        boolean queue(LockKey next, LockDeadline deadline) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                if (leaves || !next.equals(key)) {
                    leave();
                    enqueue(next);
                }
                long tryAt = System.nanoTime() + pause;
                while (!admitted.contains(this) && !ended && !deadline.isOver()) {
                    long left = deadline.left().map(Duration::toNanos).orElse(A_DAY);
                    long ignored = moved.awaitNanos(isToTry() ? Math.min(left, tryAt - System.nanoTime()) : left);
                    if (isToTry() && tryAt - System.nanoTime() <= 0) {
                        pause = Math.min(2 * pause, LAST_PAUSE);
                        break;
                    }
                }
                return admitted.contains(this);
            } finally {
                lock.unlock();
            }
        }

        private boolean isToTry() {
            NavigableSet<Turn> queue = key == null ? null : queues.get(key);
            return queue != null && queue.first().equals(this) && count(requireNonNull(key)) == 0;
        }

        /** Ends the wait of the call. May be called by any thread. */
        void end() {
            lock.run(() -> {
                ended = true;
                moved.signal();
            });
        }

        /** Removes the call from the queue, or ends its admission. Harmless if it was neither queued nor admitted. */
        void leave() {
            lock.run(() -> {
                LockKey last = key;
                if (last == null) {
                    return;
                }
                key = null;
                leaves = false;
                if (admitted.remove(this)) {
                    putLast(last);
                } else {
                    unqueue(last, this);
                }
                admit();
                wakeFirst(last);
            });
        }

        /**
         * Waits in the database, on a thread of its own, which is interrupted if the calling thread is, or if the call
         * has to yield or to end.
         *
         * @return the result of the wait; empty if the call yielded or ended, and the effect of the wait is to be
         *     rolled back
         */
        <R> Optional<R> await(String thread, Callable<R> wait) throws InterruptedException {
            begin();
            WaitingThread<R> waiter = WaitingThread.start(thread, wait, () -> lock.run(moved::signal));
            try {
                if (awaitEnd(waiter)) {
                    return Optional.of(waiter.result());
                }
            } catch (InterruptedException e) {
                Optional<R> ignored = waiter.end();
                throw e;
            } finally {
                lock.run(() -> waits = false);
            }
            return waiter.end();
        }

        private void begin() {
            lock.run(() -> {
                waits = true;
                since = System.nanoTime();
                warnStuck();
            });
        }

        /** Waits until the thread has ended; returns false if the call has to yield or to end before. */
        private boolean awaitEnd(WaitingThread<?> waiter) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!waiter.isOver()) {
                    if (ended) {
                        return false;
                    }
                    long left = equals(nextToGiveWay()) ? Math.max(left(), untilNeeded()) : A_DAY;
                    if (left <= 0) {
                        leaves = true;
                        gaveWay++;
                        return false;
                    }
                    long ignored = moved.awaitNanos(left);
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the remaining time in the database, in nanoseconds. */
        private long left() {
            return since + (SLICE.toNanos() << Math.min(gaveWay, MAX_DOUBLINGS)) - System.nanoTime();
        }
    }

    private boolean hasRoom(LockKey key) {
        return count(key) < mostOfOne;
    }

    private long count(LockKey key) {
        return admitted.stream().filter(turn -> key.equals(turn.key)).count();
    }

    /** Moves a lock to the end, after the other locks. */
    private void putLast(LockKey key) {
        NavigableSet<Turn> queue = queues.remove(key);
        if (queue != null) {
            queues.put(key, queue);
        }
    }

    private void unqueue(LockKey key, Turn turn) {
        NavigableSet<Turn> queue = queues.get(key);
        if (queue != null && queue.remove(turn) && queue.isEmpty()) {
            queues.remove(key);
        }
    }

    private void admit() {
        while (admitted.size() < most) {
            Optional<NavigableSet<Turn>> queue = queues.entrySet().stream()
                    .filter(entry -> hasRoom(entry.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst();
            if (queue.isEmpty()) {
                break;
            }
            admit(queue.get().first());
        }
        warnStuck();
    }

    private void admit(Turn turn) {
        LockKey key = requireNonNull(turn.key);
        unqueue(key, turn);
        putLast(key);
        admitted.add(turn);
        turn.pause = FIRST_PAUSE;
        turn.moved.signal();
    }

    /** Wakes the first call that is queued for the lock, to check whether it is to try. */
    private void wakeFirst(LockKey key) {
        NavigableSet<Turn> queue = queues.get(key);
        if (queue != null) {
            queue.first().moved.signal();
        }
    }

    /** Wakes the call that is to yield, to check its remaining time. */
    private void warnStuck() {
        Turn next = nextToGiveWay();
        if (next != null) {
            next.moved.signal();
        }
    }

    /** Returns the next call to yield; null if none has to, or one is about to. */
    private @Nullable Turn nextToGiveWay() {
        if (untilNeeded() == A_DAY || admitted.stream().anyMatch(turn -> turn.leaves)) {
            return null;
        }
        return admitted.stream()
                .filter(turn -> turn.waits)
                .min(Comparator.comparingLong(Turn::left))
                .orElse(null);
    }

    /** Returns the time until a shortage counts: a short wait for a connection is ignored. */
    private long untilNeeded() {
        if (queues.keySet().stream().anyMatch(this::hasRoom)) {
            return 0;
        }
        return shortages.stream()
                .findFirst()
                .map(longest -> Math.max(0, longest.since + TIMEOUT.toNanos() - System.nanoTime()))
                .orElse(A_DAY);
    }

    /** A wait on a thread of its own, so that the thread that needs the lock can end the wait. Used by that thread. */
    private record WaitingThread<R>(FutureTask<R> task, Thread thread) {

        /** @param over called when the wait is over */
        static <R> WaitingThread<R> start(String name, Callable<R> wait, Runnable over) {
            FutureTask<R> task = new FutureTask<>(wait) {
                @Override
                protected void done() {
                    over.run();
                }
            };
            return new WaitingThread<>(task, Thread.ofVirtual().name(name).start(task));
        }

        boolean isOver() {
            return task.isDone();
        }

        /** Returns the result of the wait, or throws its failure. */
        R result() throws InterruptedException {
            try {
                return task.get();
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case InterruptedException interruption -> throw interruption;
                    case RuntimeException failure -> throw failure;
                    case Error failure -> throw failure;
                    case null, default -> throw new IllegalStateException(e);
                }
            }
        }

        /**
         * Interrupts the wait, and waits until it has ended.
         *
         * @return its result, if it had succeeded before
         * @throws InterruptedException if the calling thread was interrupted meanwhile
         */
        Optional<R> end() throws InterruptedException {
            thread.interrupt();
            if (joinInterrupted()) {
                throw new InterruptedException("interrupted while a wait for a lock was ended");
            }
            return task.state() == FutureTask.State.SUCCESS ? Optional.of(task.resultNow()) : Optional.empty();
        }

        private boolean joinInterrupted() {
            boolean interrupted = false;
            while (true) {
                try {
                    Object ignored = task.get();
                    return interrupted;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException | CancellationException e) {
                    return interrupted;
                }
            }
        }
    }
}

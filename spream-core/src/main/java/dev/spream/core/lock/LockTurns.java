package dev.spream.core.lock;

import static java.util.Objects.requireNonNull;

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
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The turns of calls that wait for locks on the connections that a store keeps for handles. Calls that wait in the database have
 * at most half of these connections, so that others lock what is free, and those for one lock have at most a quarter; the others
 * are queued here, without a connection, first come, first served for each lock.
 *
 * <p>Where calls for more locks than that wait, the locks take turns: a call that has waited in the database for a second gives its
 * connection to one that is queued for another lock, or that lacks a connection, and is queued itself; the next time it may wait
 * twice as long, up to 16 seconds.
 *
 * <p>Safe for use by many threads. A store has one.
 */
public final class LockTurns {
    private static final Duration SLICE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMillis(200);
    private static final int MAX_DOUBLINGS = 4;
    private static final long A_DAY = Duration.ofDays(1).toNanos();

    private final int most;
    private final int mostOfOne;
    private final AtomicLong lastNumber = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock, as are the fields of turns.
    private final Map<LockKey, NavigableSet<Turn>> queues = new LinkedHashMap<>(); // whose turn is next comes first
    private final Set<Turn> admitted = new LinkedHashSet<>();
    private final Set<Shortage> shortages = new LinkedHashSet<>(); // the longest first

    private LockTurns(int handles) {
        this.most = Math.max(1, handles / 2);
        this.mostOfOne = Math.max(1, most / 2);
    }

    /** For a store that has so many transactions of {@link LockStore#begin} at a time, 1 or more. */
    public static LockTurns of(int handles) {
        if (handles < 1) {
            throw new IllegalArgumentException("handles is %d, must be 1 or more".formatted(handles));
        }
        return new LockTurns(handles);
    }

    /** For a store without such a limit: all calls wait in the database. */
    public static LockTurns unlimited() {
        return new LockTurns(Integer.MAX_VALUE);
    }

    /** To be told when a call of {@link LockStore#begin} begins to wait for a connection, which {@link Shortage#end} ends. */
    public Shortage shortage() {
        Shortage shortage = new Shortage();
        locked(() -> {
            shortages.add(shortage);
            remind();
        });
        return shortage;
    }

    /** The time in which a call waits for a connection. */
    public final class Shortage {
        private final long since = System.nanoTime();

        private Shortage() {}

        /** Harmless if it has ended. */
        public void end() {
            locked(() -> shortages.remove(this));
        }
    }

    /** Of a call that begins. */
    Turn next() {
        return new Turn(lastNumber.incrementAndGet());
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** The turn of one call, used by its thread: it has none at first, is queued for a lock, or admitted to wait for one. */
    final class Turn implements Comparable<Turn> {
        private final long number;
        private final Condition moved = lock.newCondition();
        private @Nullable LockKey key; // that it is queued or admitted for
        private boolean waits; // in the database
        private boolean leaves; // the database
        private long since;
        private int gaveWay;

        private Turn(long number) {
            this.number = number;
        }

        /** Tells the calls of one store apart. */
        long number() {
            return number;
        }

        /** Who came earlier is served earlier. */
        @Override
        public int compareTo(Turn other) {
            return Long.compare(number, other.number);
        }

        /**
         * Whether the call may wait for that lock in the database now; if not it has to be {@linkplain #queue queued}. Gives up
         * the turn for another lock.
         *
         * @param persistent it has waited for a lock that it has now, and may be more for this one than others
         */
        boolean enter(LockKey next, boolean persistent) {
            lock.lock();
            try {
                if (admitted.contains(this) && next.equals(key)) {
                    return true;
                }
                leave();
                if (admitted.size() >= most || !(persistent || isNextFor(next))) {
                    return false;
                }
                key = next;
                admitted.add(this);
                return true;
            } finally {
                lock.unlock();
            }
        }

        private boolean isNextFor(LockKey next) {
            NavigableSet<Turn> queue = queues.get(next);
            return hasRoom(next) && (queue == null || queue.first().compareTo(this) > 0);
        }

        /**
         * Waits, without a connection, until the call may wait for that lock in the database.
         *
         * @return whether it may; false if the deadline is over
         */
        boolean queue(LockKey next, LockDeadline deadline) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                leave();
                key = next;
                queues.computeIfAbsent(next, any -> new TreeSet<>()).add(this);
                admit();
                while (!admitted.contains(this)) {
                    if (deadline.isOver()) {
                        return false;
                    }
                    long ignored = moved.awaitNanos(
                            deadline.left().map(Duration::toNanos).orElse(A_DAY));
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** It is neither queued nor admitted afterwards. Harmless if it was not. */
        void leave() {
            locked(() -> {
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
            });
        }

        /**
         * Waits in the database, on a thread of its own, which is interrupted if the calling thread is, and if the call has to
         * give way.
         *
         * @return what the wait returns; empty if the call gave way, and what the wait did is to be rolled back
         */
        <R> Optional<R> await(String thread, Callable<R> wait) throws InterruptedException {
            FutureTask<R> task = new FutureTask<>(wait) {
                @Override
                protected void done() {
                    locked(moved::signal);
                }
            };
            Thread waiter = Thread.ofVirtual().name(thread).unstarted(task);
            begin();
            waiter.start();
            try {
                if (awaitEnd(task)) {
                    return Optional.of(result(task));
                }
            } catch (InterruptedException e) {
                waiter.interrupt();
                boolean ignored = awaitUninterrupted(task);
                throw e;
            } finally {
                locked(() -> waits = false);
            }
            waiter.interrupt();
            if (awaitUninterrupted(task)) {
                throw new InterruptedException("interrupted while it gave way to another call");
            }
            return succeeded(task);
        }

        private void begin() {
            locked(() -> {
                waits = true;
                since = System.nanoTime();
                remind();
            });
        }

        /** False if it has to give way before. */
        private boolean awaitEnd(FutureTask<?> task) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!task.isDone()) {
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

        /** Until it has had its time in the database, in nanoseconds. */
        private long left() {
            return since + (SLICE.toNanos() << Math.min(gaveWay, MAX_DOUBLINGS)) - System.nanoTime();
        }
    }

    private static <R> R result(FutureTask<R> task) throws InterruptedException {
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

    /** Whether the calling thread was interrupted meanwhile. */
    private static boolean awaitUninterrupted(FutureTask<?> task) {
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

    /** It may have had what it waited for before it was interrupted. */
    private static <R> Optional<R> succeeded(FutureTask<R> task) {
        return task.state() == FutureTask.State.SUCCESS ? Optional.of(task.resultNow()) : Optional.empty();
    }

    private boolean hasRoom(LockKey key) {
        return admitted.stream().filter(turn -> key.equals(turn.key)).count() < mostOfOne;
    }

    /** The other locks come before that one now. */
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
        remind();
    }

    private void admit(Turn turn) {
        LockKey key = requireNonNull(turn.key);
        unqueue(key, turn);
        putLast(key);
        admitted.add(turn);
        turn.moved.signal();
    }

    /** Has the one that is to give way look at the clock. */
    private void remind() {
        Turn next = nextToGiveWay();
        if (next != null) {
            next.moved.signal();
        }
    }

    /** Absent if none has to, or one is about to. */
    private @Nullable Turn nextToGiveWay() {
        if (untilNeeded() == A_DAY || admitted.stream().anyMatch(turn -> turn.leaves)) {
            return null;
        }
        return admitted.stream()
                .filter(turn -> turn.waits)
                .min(Comparator.comparingLong(Turn::left))
                .orElse(null);
    }

    /** A short wait for a connection is in order. */
    private long untilNeeded() {
        if (queues.keySet().stream().anyMatch(this::hasRoom)) {
            return 0;
        }
        return shortages.stream()
                .findFirst()
                .map(longest -> Math.max(0, longest.since + PATIENCE.toNanos() - System.nanoTime()))
                .orElse(A_DAY);
    }
}

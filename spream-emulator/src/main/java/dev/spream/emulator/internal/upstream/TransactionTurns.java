package dev.spream.emulator.internal.upstream;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns of a database's read-write transactions: one begins after the end of the one before it, since Google's
 * emulator has one at a time and aborts another. A transaction without a call for too long loses its turn when another
 * one waits, and Google's emulator decides between the two. Safe for use by many threads.
 */
public final class TransactionTurns {
    private final Duration maxIdle;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private @Nullable Turn current; // guarded by lock

    TransactionTurns(Duration maxIdle) {
        this.maxIdle = maxIdle;
    }

    /** The turn of one transaction. */
    public final class Turn {
        // Guarded by lock.
        private ByteString id = ByteString.EMPTY;
        private int calls = 1;
        private long lastUsed;

        private Turn() {}

        /** Takes the id of the transaction from the response to its first call; an empty one is ignored. */
        public void identify(ByteString transaction) {
            lock.lock();
            try {
                id = transaction.isEmpty() ? id : transaction;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the time until it is idle for too long; it is not idle during a call. */
        private long nanosLeft() {
            return maxIdle.toNanos() - (calls > 0 ? 0 : System.nanoTime() - lastUsed);
        }
    }

    /** Runs the first call of a transaction in its turn, which ends with the call unless that identifies the transaction. */
    public <T> T begin(Function<Turn, T> call) {
        Turn turn = take();
        try {
            return call.apply(turn);
        } finally {
            called(turn, false);
        }
    }

    /** Runs a later call of a transaction in its turn, if it has one still; the last call ends it. */
    public <T> T next(ByteString transaction, boolean last, Supplier<T> call) {
        Turn turn = find(transaction);
        try {
            return call.get();
        } finally {
            if (turn != null) {
                called(turn, last);
            }
        }
    }

    private Turn take() {
        lock.lock();
        try {
            for (Turn before; (before = current) != null; ) {
                long left = before.nanosLeft();
                if (left <= 0) {
                    break;
                }
                ended.await(left, TimeUnit.NANOSECONDS);
            }
            Turn turn = new Turn();
            current = turn;
            return turn;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.CANCELLED.withCause(e).asRuntimeException();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Turn find(ByteString transaction) {
        lock.lock();
        try {
            Turn turn = current;
            if (turn == null || transaction.isEmpty() || !turn.id.equals(transaction)) {
                return null;
            }
            turn.calls++;
            return turn;
        } finally {
            lock.unlock();
        }
    }

    private void called(Turn turn, boolean last) {
        lock.lock();
        try {
            turn.calls--;
            turn.lastUsed = System.nanoTime();
            if (current == turn && (last || turn.id.isEmpty())) {
                current = null;
                ended.signal();
            }
        } finally {
            lock.unlock();
        }
    }
}

package dev.spream.emulator.internal.stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import com.google.spanner.v1.PartialResultSet;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps what a query sends. */
final class RowCollector implements StreamObserver<PartialResultSet> {
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_AGAIN =
            TimeUnit.MILLISECONDS.toNanos(5); // a condition may be about more than the rows

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<PartialResultSet> messages = new ArrayList<>();
    private @Nullable Status end;

    @Override
    public void onNext(PartialResultSet message) {
        change(() -> messages.add(message));
    }

    @Override
    public void onError(Throwable error) {
        change(() -> end = Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
        change(() -> end = Status.OK);
    }

    private void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<PartialResultSet> messages() {
        lock.lock();
        try {
            return List.copyOf(messages);
        } finally {
            lock.unlock();
        }
    }

    List<Value> values() {
        return messages().stream()
                .flatMap(message -> message.getValuesList().stream())
                .toList();
    }

    List<ReadRow> rows() {
        return values().stream().map(ReadRow::of).toList();
    }

    ByteString lastResumeToken() {
        return messages().getLast().getResumeToken();
    }

    /** Waits until the rows so far are as asked for. */
    List<ReadRow> awaitRows(Predicate<List<ReadRow>> enough) throws InterruptedException {
        await(() -> enough.test(rows()));
        return rows();
    }

    /** Waits until the query ended. */
    Status awaitEnd() throws InterruptedException {
        await(() -> end != null);
        return end == null ? Status.UNKNOWN : end;
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        lock.lock();
        try {
            long deadline = System.nanoTime() + TIMEOUT;
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("waited in vain; the query has sent " + rows() + " and its end is " + end);
                }
                changed.awaitNanos(LOOK_AGAIN);
            }
        } finally {
            lock.unlock();
        }
    }
}

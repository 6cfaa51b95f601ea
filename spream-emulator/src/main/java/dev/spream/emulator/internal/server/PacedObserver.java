package dev.spream.emulator.internal.server;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A response stream that blocks its writer while the client does not keep up, so that a slow reader does not fill the
 * server's memory. Created on the call's thread, then used by one writer on another thread.
 */
final class PacedObserver<T> implements StreamObserver<T> {
    private final ServerCallStreamObserver<T> call;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread writer; // guarded by lock

    PacedObserver(StreamObserver<T> call) {
        this.call = (ServerCallStreamObserver<T>) call;
        this.call.setOnReadyHandler(() -> locked(changed::signalAll));
        this.call.setOnCancelHandler(this::cancelled);
    }

    boolean isCancelled() {
        return call.isCancelled();
    }

    /**
     * Interrupts the writer when the client disconnects, so that it need not poll; at once if the client has
     * disconnected already.
     */
    void interruptOnCancel(Thread thread) {
        locked(() -> {
            writer = thread;
            if (call.isCancelled()) {
                thread.interrupt();
            }
        });
    }

    /** Ends {@link #interruptOnCancel}, so that the calling thread, which is the writer, can run other work. */
    void interruptNone() {
        locked(() -> writer = null);
        var unused = Thread.interrupted();
    }

    private void cancelled() {
        locked(() -> {
            changed.signalAll();
            if (writer != null) {
                writer.interrupt();
            }
        });
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Sends a message; throws CANCELLED when the client has disconnected. */
    @Override
    public void onNext(T message) {
        lock.lock();
        try {
            while (!call.isReady() && !call.isCancelled()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.CANCELLED.withDescription("the emulator is closing").asRuntimeException();
        } finally {
            lock.unlock();
        }
        if (call.isCancelled()) {
            throw Status.CANCELLED
                    .withDescription("the client has disconnected")
                    .asRuntimeException();
        }
        call.onNext(message);
    }

    @Override
    public void onError(Throwable failure) {
        if (!call.isCancelled()) {
            call.onError(failure);
        }
    }

    @Override
    public void onCompleted() {
        if (!call.isCancelled()) {
            call.onCompleted();
        }
    }
}

package dev.spream.lock;

import dev.spream.core.internal.SectionLock;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * A call that acquires a handle on a virtual thread. If its future is completed from outside, by a cancellation or a
 * time limit, the call is interrupted, and a handle that it got meanwhile is closed. Safe for use by many threads.
 */
final class PendingHandle {
    private final CompletableFuture<LockHandle> future = new CompletableFuture<>();
    private final Callable<LockHandle> call;
    private final Thread thread;
    private final SectionLock lock = new SectionLock();
    private boolean acquiring = true; // guarded by the lock

    private PendingHandle(Callable<LockHandle> call) {
        this.call = call;
        this.thread = Thread.ofVirtual().name("spream-locks-acquire").unstarted(this::run);
    }

    static CompletableFuture<LockHandle> start(Callable<LockHandle> call) {
        PendingHandle pending = new PendingHandle(call);
        pending.thread.start();
        CompletableFuture<LockHandle> ignored = pending.future.whenComplete((handle, failure) -> pending.interrupt());
        return pending.future;
    }

    private void run() {
        try {
            LockHandle handle = acquire();
            if (!future.complete(handle)) {
                handle.close();
            }
        } catch (Throwable t) {
            boolean ignored = future.completeExceptionally(t);
        }
    }

    private LockHandle acquire() throws Exception {
        try {
            return call.call();
        } finally {
            lock.run(() -> acquiring = false);
            boolean ignored = Thread.interrupted(); // it was for the call; the handle may have to be closed
        }
    }

    private void interrupt() {
        lock.run(() -> {
            if (acquiring) {
                thread.interrupt();
            }
        });
    }
}

package dev.spream.outbox;

import dev.spream.core.internal.Alarm;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SafeListeners;
import java.util.random.RandomGenerator;

/**
 * What the parts of one running worker share.
 *
 * @param owner this worker, in the store
 * @param calls makes calls of the store
 * @param random for jitter; used by many threads
 * @param claimsWake raised when there may be something to claim, or room for it
 */
record WorkerContext(
        OutboxStore store,
        OutboxSender sender,
        OutboxWorkerOptions options,
        OutboxOwner owner,
        StoreCalls calls,
        SafeListeners<OutboxListener> listener,
        MonotonicTime time,
        RandomGenerator random,
        StopSignal stop,
        Alarm claimsWake) {

    static WorkerContext of(
            OutboxStore store,
            OutboxSender sender,
            OutboxWorkerOptions options,
            MonotonicTime time,
            RandomGenerator random) {
        OutboxOwner owner = OutboxOwner.of(options.name());
        SafeListeners<OutboxListener> listener = new SafeListeners<>(options.listeners());
        return new WorkerContext(
                store,
                sender,
                options,
                owner,
                new StoreCalls(owner, listener),
                listener,
                time,
                random,
                new StopSignal(),
                new Alarm(time));
    }

    long now() {
        return time.nanoTime();
    }

    long leaseNanos() {
        return options.lease().toNanos();
    }

    /** A lease that is about to be requested. */
    LocalLease requestLease() {
        return LocalLease.requested(time, options.lease());
    }

    /** The name of a thread of this worker. */
    String threadName(String role) {
        return "spream-outbox-" + options.name() + "-" + role;
    }
}

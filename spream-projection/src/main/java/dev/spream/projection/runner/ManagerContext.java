package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.TaskGroup;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The services that the projections of a running manager share.
 *
 * @param owner the owner id of this manager in the store
 * @param listening whether there is a listener at all
 * @param clock the clock for the ages of events, and nothing else
 * @param random for jitter; used by many threads
 */
record ManagerContext<T>(
        ProjectionStore<T> store,
        ProjectionOwner owner,
        SafeListeners<ProjectionListener> listeners,
        boolean listening,
        MonotonicTime time,
        InstantSource clock,
        RandomGenerator random,
        TaskGroup threads) {

    long now() {
        return time.nanoTime();
    }

    Instant instant() {
        return clock.instant();
    }

    void tell(Consumer<? super ProjectionListener> event) {
        if (listening) {
            listeners.publish(event);
        }
    }
}

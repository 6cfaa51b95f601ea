package dev.spream.core.projection;

import dev.spream.core.internal.MonotonicTime;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;

/** A manager as it was built. */
record ManagerSetup<T>(
        ProjectionStore<T> store,
        ProjectionOwner owner,
        List<ProjectionSetup<T>> projections,
        List<ProjectionListener> listeners,
        MonotonicTime time,
        InstantSource clock,
        RandomGenerator random) {
    ManagerSetup {
        projections = List.copyOf(projections);
        listeners = List.copyOf(listeners);
    }
}

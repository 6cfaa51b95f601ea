package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The configuration of a manager. */
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

    /** Returns the projections grouped by name, in the order in which the names were first added. */
    List<List<ProjectionSetup<T>>> byName() {
        Map<String, List<ProjectionSetup<T>>> byName = new LinkedHashMap<>();
        projections.forEach(setup -> byName.computeIfAbsent(setup.projection().name(), first -> new ArrayList<>())
                .add(setup));
        return List.copyOf(byName.values());
    }
}

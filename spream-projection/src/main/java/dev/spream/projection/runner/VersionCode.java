package dev.spream.projection.runner;

import dev.spream.projection.ExternalReadModel;
import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.SideEffectingProjection;
import java.util.Map;
import java.util.Set;

/**
 * The code of a version: the events that it receives, and how it writes them. As safe for use by many threads as the
 * projection.
 */
final class VersionCode<T> {
    private final Projection<? super T> projection;
    private final boolean versioned;
    private final EventWriter<T> writer;
    private volatile BatchPlanner planner;

    VersionCode(ProjectionSetup<T> setup, ProjectionVersion version, ParkPolicy policy) {
        this.projection = setup.projection().ofVersion(version.version());
        this.versioned = projection instanceof RebuildableProjection<?> || !projection.equals(setup.projection());
        this.writer = EventWriter.of(projection);
        this.planner = new BatchPlanner(projection::handles, setup.options().gaps(), policy, version.from() > 0);
    }

    Projection<? super T> projection() {
        return projection;
    }

    /** Returns whether versions of its read model can be distinguished. */
    boolean isVersioned() {
        return versioned;
    }

    /** Returns whether a batch takes one write, in the store's database, however many events it has. */
    boolean onlyFolds() {
        return projection instanceof MultiRowProjection
                && !(projection instanceof SideEffectingProjection)
                && !(projection instanceof ExternalReadModel);
    }

    BatchPlanner planner() {
        return planner;
    }

    /** Sets the events that are skipped without being tried: the versions of each aggregate. */
    void skip(Map<String, Set<Long>> events) {
        planner = planner.skipping(events);
    }

    /**
     * Returns the writer that applies events.
     *
     * @param version the version as read by the loop that writes
     * @param followed the last version whose side effects were produced before
     */
    EventWriter<T> writer(ProjectionVersion version, long followed) {
        return version.isLive() && projection instanceof SideEffectingProjection<?> effects
                ? EventWriter.following(writer, inItsTransactions(effects), followed)
                : writer;
    }

    @SuppressWarnings("unchecked") // they are the projection's, which works in these transactions
    private static <T> SideEffectingProjection<T> inItsTransactions(SideEffectingProjection<?> effects) {
        return (SideEffectingProjection<T>) effects;
    }
}

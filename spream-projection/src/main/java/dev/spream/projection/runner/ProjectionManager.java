package dev.spream.projection.runner;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Runs projections, each with its own checkpoint, so that none of them holds up another.
 *
 * <pre>{@code
 * try (ProjectionManager<Connection> manager = ProjectionManager.builder(store)
 *         .add(new Balances(), events)
 *         .build()) {
 *     manager.run();
 * }
 * }</pre>
 *
 * <p>{@link #run} blocks until {@link #shutdown} or {@link #close}; both may be called from any thread, several times, before,
 * during and after {@code run}. A manager runs once. It closes neither the store nor the sources. Several managers may run the
 * same projections, in one process or in many: they share the segments of those whose source has positions.
 *
 * <p>Guarantees for each projection, with any number of managers and after any crash:
 *
 * <ul>
 *   <li>Every event that is delivered is applied once, as far as the store's database is concerned, or stored there for
 *       its parked aggregate: the effect, the version of the aggregate, and the checkpoint are committed together.
 *       Those of one aggregate are applied in the order of their versions.
 *   <li>An event that fails holds up only the later events of its aggregate, which is parked. A retryable failure is
 *       tried again; any other waits for an operator to {@linkplain ProjectionOperations#retry retry} or {@linkplain
 *       ProjectionOperations#skip skip} the event.
 *   <li>An outage of a store or a source does not end a projection, and parks nothing: the projection continues once
 *       the outage is over. A failure that every event would have stops it everywhere as{@link
 *       ProjectionStatus#FAILED}; other projections continue.
 *   <li>Writes after the lease of a segment has ended, or after a projection was paused, have no effect.
 *   <li>Deliveries of a source without positions are acknowledged when they are committed.
 * </ul>
 *
 * @param <T> a transaction of the store's database, such as a connection
 */
public final class ProjectionManager<T> implements AutoCloseable {

    private final ProjectionManagerRun.Setup<T> setup;
    private final RunLifecycle<ProjectionManagerRun<T>> run = new RunLifecycle<>("projection manager");

    private ProjectionManager(ProjectionManagerRun.Setup<T> setup) {
        this.setup = setup;
    }

    /** Builds a manager of projections with their states in that store. */
    public static <T> Builder<T> builder(ProjectionStore<T> store) {
        return new Builder<>(requireNonNull(store, "store"));
    }

    /**
     * Runs the projections until it is stopped; then the current batches are committed and the segments released. An
     * interrupt of the calling thread acts like {@link #close}.
     *
     * @throws IllegalStateException if this manager has run before
     * @throws IllegalArgumentException if a projection has run over a source with positions, and is to run over one without, or
     *     the other way round
     */
    public void run() {
        run.run(() -> new ProjectionManagerRun<>(setup), running -> {
            running.run();
            return true;
        });
    }

    /**
     * Stops reading events, lets the current batches be committed, releases the segments, and waits for all that, but no
     * longer than the timeout: before its last quarter, of 0.5 to 5 seconds, the current batches are interrupted as by {@link
     * #close}. Called by a projection or a listener, it does not wait.
     *
     * @return whether it was done without an interrupt; true if {@link #run} has not been called, or has ended
     */
    public boolean shutdown(Duration timeout) {
        return run.shutdown(timeout);
    }

    /**
     * Interrupts the current batches, which are rolled back and applied again by the next run. Waits for {@link #run}
     * to end, for half a minute at most. Called by a projection or a listener, it does not wait.
     */
    @Override
    public void close() {
        run.close();
    }

    /** Returns the owner under which this manager holds segments in the store. */
    public ProjectionOwner owner() {
        return setup.owner();
    }

    /**
     * Returns the state of each projection in the order in which they were added: each version that runs here, the live
     * one first. Makes no call to the store or the sources. A projection whose state was not read yet, or of which no
     * version runs here, is shown like a new one.
     */
    public List<ProjectionView> views() {
        return run.begun()
                .map(ProjectionManagerRun::views)
                .orElseGet(() -> setup.byName().stream()
                        .map(versions -> VersionStatus.unread(versions.getFirst(), Optional.empty()))
                        .toList());
    }

    /**
     * Collects the parts of a manager. Confined to one thread.
     *
     * @param <T> a transaction of the store's database
     */
    public static final class Builder<T> {
        private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,99}");

        private final ProjectionStore<T> store;
        private final List<ProjectionSetup<T>> projections = new ArrayList<>();
        private final List<ProjectionListener> listeners = new ArrayList<>();
        private ProjectionOptions options = ProjectionOptions.DEFAULTS;
        private ProjectionOwner owner = ProjectionOwner.of("spream");
        private MonotonicTime time = MonotonicTime.SYSTEM;
        private InstantSource clock = InstantSource.system();
        private RandomGenerator random = new Random();

        private Builder(ProjectionStore<T> store) {
            this.store = store;
        }

        /** Sets the options of projections that are added after this call without options of their own. */
        public Builder<T> options(ProjectionOptions options) {
            this.options = requireNonNull(options, "options");
            return this;
        }

        /** Adds a projection that follows a source. */
        public Builder<T> add(Projection<? super T> projection, EventSource source) {
            return add(projection, source, options);
        }

        /**
         * Adds a projection with options of its own. There may be several with the same name and different {@linkplain
         * Projection#revision() revisions}: each runs the versions of its revision.
         *
         * @throws IllegalArgumentException if its name is not valid, or one of that name and revision was added before
         */
        public Builder<T> add(Projection<? super T> projection, EventSource source, ProjectionOptions options) {
            String name = projection.name();
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "the name of a projection is '%s'; it must be 1 to 100 letters, digits, hyphens and underscores, starting with a letter"
                                .formatted(name));
            }
            int revision = ProjectionCode.of(projection).revision();
            if (projections.stream()
                    .map(ProjectionSetup::projection)
                    .anyMatch(other -> other.name().equals(name) && other.revision() == revision)) {
                throw new IllegalArgumentException(
                        "two projections have the name '%s' and revision %d".formatted(name, revision));
            }
            projections.add(new ProjectionSetup<>(projection, source, options));
            return this;
        }

        /**
         * Sets the descriptive name of the manager, such as its host; {@code spream} by default. Need not be unique.
         */
        public Builder<T> owner(String name) {
            this.owner = ProjectionOwner.of(name);
            return this;
        }

        /** Adds a listener. */
        public Builder<T> listener(ProjectionListener listener) {
            listeners.add(requireNonNull(listener, "listener"));
            return this;
        }

        /** Sets the clocks, for tests that control time. */
        Builder<T> time(MonotonicTime time, InstantSource clock) {
            this.time = time;
            this.clock = clock;
            return this;
        }

        /** Sets the source of jitter, for repeatable tests; used by many threads. */
        Builder<T> random(RandomGenerator random) {
            this.random = random;
            return this;
        }

        /**
         * Builds the manager.
         *
         * @throws IllegalStateException if no projection was added
         */
        public ProjectionManager<T> build() {
            if (projections.isEmpty()) {
                throw new IllegalStateException("a projection manager needs a projection; add one");
            }
            return new ProjectionManager<>(
                    new ProjectionManagerRun.Setup<>(store, owner, projections, listeners, time, clock, random));
        }
    }
}

package dev.spream.projection.runner;

import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import java.util.function.Function;

/**
 * One version of a projection of a running manager: a thread that reads its state, one that keeps its loops running,
 * and the loops.
 */
final class RunningVersion<T> {
    /** Keeps the loops of a projection running while the projection runs, on a thread of its own. Stopped by any thread. */
    interface Keeper {
        /** Works until it is stopped and its loops have ended. */
        void run() throws InterruptedException;

        /** Lets loops finish their batches, and ends. */
        void stop();

        /** Interrupts loops, and ends. */
        void cancel();

        /** Interrupts loops that may no longer write. Called by any thread. */
        void checkLease();

        /** Returns the number of segments held; 0 for a source without positions. */
        int held();
    }

    private final ManagerContext<T> manager;
    private final VersionStatus status;
    private final Keeper keeper;
    private final StatusWatch watch;

    RunningVersion(ManagerContext<T> manager, ProjectionSetup<T> setup, ProjectionVersion version) {
        this.manager = manager;
        this.status = new VersionStatus(manager, setup, version);
        FailureHandling failures = FailureHandling.of(manager, setup.options(), status);
        VersionCode<T> code = new VersionCode<>(setup, version, failures.policy());
        Function<Assignment, FeedLoop<T>> loops =
                assignment -> new FeedLoop<>(manager, setup, status, code, failures, assignment);
        this.keeper = setup.source().positioned()
                ? new SegmentKeeper<>(manager, setup.options(), status, loops)
                : new UnsegmentedKeeper<>(manager, status, loops);
        this.watch = new StatusWatch(manager, status, failures, keeper);
    }

    void start() {
        String thread = "spream-projection-" + status.name;
        manager.threads().start(thread + "-watch", watch::run);
        manager.threads().start(thread + "-keep", this::keep);
    }

    private void keep() throws InterruptedException {
        try {
            keeper.run();
        } finally {
            watch.stop(); // including a last report
        }
    }

    void become(ProjectionVersion version) {
        status.become(version);
    }

    void stop() {
        keeper.stop();
    }

    void cancel() {
        keeper.cancel();
    }

    ProjectionView view() {
        return status.view(keeper.held());
    }
}

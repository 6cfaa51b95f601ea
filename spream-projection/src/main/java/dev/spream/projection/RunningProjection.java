package dev.spream.projection;

/** One version of a projection of a running manager: a thread that watches its state, one that keeps its loops, and those. */
final class RunningProjection<T> {
    private final ProjectionContext<T> context;
    private final Keeper keeper;
    private final StatusWatch watch;

    RunningProjection(ManagerContext<T> manager, ProjectionSetup<T> setup, ProjectionVersion version) {
        this.context = new ProjectionContext<>(manager, setup, version);
        this.keeper = setup.source().positioned() ? new SegmentKeeper<>(context) : new FeedKeeper<>(context);
        this.watch = new StatusWatch(context, keeper);
    }

    void start() {
        String thread = "spream-projection-" + context.name();
        context.manager().threads().start(thread + "-watch", watch::run);
        context.manager().threads().start(thread + "-keep", this::keep);
    }

    private void keep() throws InterruptedException {
        try {
            keeper.run();
        } finally {
            watch.stop(); // with a last report
        }
    }

    /** Its version is that now, with another role perhaps. */
    void become(ProjectionVersion version) {
        if (context.version().role() != version.role()) {
            context.watchWake().raise();
        }
        context.become(version);
    }

    /** Lets its loops finish their batches, and ends. */
    void stop() {
        keeper.stop();
    }

    /** Interrupts its loops, and ends. */
    void cancel() {
        keeper.cancel();
    }

    ProjectionView view() {
        return context.view(keeper.held());
    }
}

package dev.spream.projection.runner;

import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.event.FeedRequest;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Keeps the one loop of a projection whose source has no positions: it runs while the projection does, and is restarted when
 * its epoch changes.
 */
final class UnsegmentedKeeper<T> implements RunningVersion.Keeper {
    private static final long IDLE = TimeUnit.SECONDS.toNanos(10);

    private final VersionStatus status;
    private final LoopSupervisor<T> slot;
    private volatile boolean stopping;
    private long epoch;

    UnsegmentedKeeper(ManagerContext<T> manager, VersionStatus status, Function<Assignment, FeedLoop<T>> loops) {
        this.status = status;
        this.slot = new LoopSupervisor<>(manager, loops, "spream-projection-" + status.name);
    }

    @Override
    public void run() throws InterruptedException {
        while (!stopping || !slot.isEmpty()) {
            if (status.hasEndedHere()) {
                stopping = true;
            }
            slot.removeEnded();
            if (slot.isEmpty()) {
                expect();
            }
            long pause = slot.pauseLeft(); // over or not, for all that follows
            keep(pause);
            status.keeperWake.await(slot.isEmpty() && pause > 0 ? pause : IDLE);
        }
        status.forget(0, Assignment.WHOLE_FEED);
    }

    private void expect() {
        if (stopping || !status.isRunning()) {
            status.forget(0, Assignment.WHOLE_FEED);
        } else {
            status.lags.expect(0);
        }
    }

    private void keep(long pause) {
        ProjectionState state = status.state();
        if (stopping || !status.isRunning() || (state.epoch() != epoch && !slot.isEmpty())) {
            slot.stop();
        } else if (slot.isEmpty() && pause == 0) {
            epoch = state.epoch();
            slot.start(new Assignment(
                    new Fence.Whole(status.name, epoch), epoch, FeedRequest.all(status.name), () -> true));
        }
    }

    @Override
    public void stop() {
        stopping = true;
        status.keeperWake.signal();
    }

    @Override
    public void cancel() {
        stop();
        slot.cancel();
    }

    @Override
    public void checkLease() {}

    @Override
    public int held() {
        return 0;
    }
}

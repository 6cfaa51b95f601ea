package dev.spream.projection;

import dev.spream.projection.event.FeedRequest;
import java.util.concurrent.TimeUnit;

/** Keeps the one loop of a projection whose source has no positions: while it is running, and anew when its epoch changes. */
final class FeedKeeper<T> implements Keeper {
    private static final long IDLE = TimeUnit.SECONDS.toNanos(10);

    private final ProjectionContext<T> context;
    private final LoopSlot<T> slot;
    private volatile boolean stopping;
    private long epoch;

    FeedKeeper(ProjectionContext<T> context) {
        this.context = context;
        this.slot = new LoopSlot<>(context, "spream-projection-" + context.name());
    }

    @Override
    public void run() throws InterruptedException {
        while (!stopping || !slot.isEmpty()) {
            if (context.hasEndedHere()) {
                stopping = true;
            }
            slot.tidy();
            if (slot.isEmpty()) {
                expect();
            }
            long pause = slot.pauseLeft(); // over or not, for all that follows
            keep(pause);
            context.keeperWake().await(slot.isEmpty() && pause > 0 ? pause : IDLE);
        }
        context.forget(0, Assignment.WHOLE_FEED);
    }

    private void expect() {
        if (stopping || !context.isRunning()) {
            context.forget(0, Assignment.WHOLE_FEED);
        } else {
            context.lags().expect(0);
        }
    }

    private void keep(long pause) {
        ProjectionState state = context.state();
        if (stopping || !context.isRunning() || (state.epoch() != epoch && !slot.isEmpty())) {
            slot.stop();
        } else if (slot.isEmpty() && pause == 0) {
            epoch = state.epoch();
            slot.start(new Assignment(
                    new Fence.Whole(context.name(), epoch), epoch, FeedRequest.all(context.name()), () -> true));
        }
    }

    @Override
    public void stop() {
        stopping = true;
        context.keeperWake().raise();
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

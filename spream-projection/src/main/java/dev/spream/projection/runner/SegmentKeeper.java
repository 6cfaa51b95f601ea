package dev.spream.projection.runner;

import dev.spream.core.internal.LocalLease;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.event.FeedRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds segments of a projection and keeps a loop running for each: renews their leases well before they expire, claims
 * its share, and releases segments above the share once their loops have finished a batch.
 *
 * <p>The leases are measured on this process's own clocks ({@link LocalLease}); loops write nothing after they expire.
 * A loop begins at the position that is stored after the previous loop has ended.
 */
final class SegmentKeeper<T> implements RunningVersion.Keeper {
    private static final Logger log = LoggerFactory.getLogger(SegmentKeeper.class);
    private static final long OUTDATED = -1;
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

    /** A segment that is held, or whose loop has not ended yet. */
    private final class Held {
        private final LoopSupervisor<T> slot;
        private SegmentLease lease;
        private long epoch; // of the projection when the loop was started
        private boolean leaving; // above the share
        private boolean lost;

        Held(SegmentLease lease) {
            this.lease = lease;
            this.slot =
                    new LoopSupervisor<>(manager, loops, "spream-projection-" + status.name + "-" + lease.segment());
        }
    }

    private final ManagerContext<T> manager;
    private final ProjectionOptions options;
    private final VersionStatus status;
    private final Function<Assignment, FeedLoop<T>> loops;
    private final Map<Integer, Held> segments = new ConcurrentHashMap<>(); // changed by the keeper's thread
    private volatile LocalLease granted;
    private volatile boolean stopping;
    private int fair = Integer.MAX_VALUE;
    private int number; // the number of segments, including those held

    SegmentKeeper(
            ManagerContext<T> manager,
            ProjectionOptions options,
            VersionStatus status,
            Function<Assignment, FeedLoop<T>> loops) {
        this.manager = manager;
        this.options = options;
        this.status = status;
        this.loops = loops;
        this.granted = LocalLease.ended(manager.time());
    }

    private long lease() {
        return options.lease().toNanos();
    }

    @Override
    public void run() throws InterruptedException {
        long nextHold = manager.now();
        while (!stopping && !status.hasEndedHere()) {
            if (!status.isKnown()) {
                status.keeperWake.await(lease());
                continue;
            }
            boolean changed = removeEnded();
            if (changed || nextHold - manager.now() <= 0 || anyToStart()) {
                nextHold = manager.now() + (hold() ? lease() / 4 : Math.min(lease() / 8, 10 * SOON));
            }
            status.keeperWake.await(Math.max(1, Math.min(nextHold - manager.now(), nextStart())));
        }
        end();
    }

    /** Removes loops that have ended. Returns whether segments can be released. */
    private boolean removeEnded() {
        boolean canGiveUp = false;
        for (Held held : segments.values()) {
            held.slot.removeEnded();
            if (!status.isRunning() || held.leaving || held.lost || isOutdated(held)) {
                held.slot.stop();
            }
            if (canStart(held)) {
                status.lags.expect(held.lease.segment());
            } else if (held.slot.isEmpty()) {
                status.forget(held.lease.segment(), Assignment.label(held.lease.segment()));
            }
            if (held.slot.isEmpty() && held.lost) {
                forget(held.lease.segment());
            }
            canGiveUp |= held.leaving && held.slot.isEmpty();
        }
        return canGiveUp;
    }

    /** Returns whether its loop was started before a pause, so that its fatal failure may have been fixed. */
    private boolean isOutdated(Held held) {
        return held.epoch != status.state().epoch();
    }

    private void forget(int segment) {
        segments.remove(segment);
        status.forget(segment, Assignment.label(segment));
    }

    private boolean anyToStart() {
        return segments.values().stream().anyMatch(held -> canStart(held) && held.slot.pauseLeft() == 0);
    }

    private boolean canStart(Held held) {
        return status.isRunning() && !stopping && !held.leaving && !held.lost && held.slot.isEmpty();
    }

    private long nextStart() {
        return segments.values().stream()
                .filter(this::canStart)
                .mapToLong(held -> held.slot.pauseLeft())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Renews and claims segments in the store, and applies the result; returns whether the store responded. */
    private boolean hold() {
        Set<Integer> giveUp = segments.values().stream()
                .filter(held -> held.leaving && held.slot.isEmpty())
                .map(held -> held.lease.segment())
                .collect(Collectors.toSet());
        Set<Held> startable = segments.values().stream().filter(this::canStart).collect(Collectors.toSet());
        LocalLease requested = LocalLease.requested(manager.time(), options.lease());
        SegmentShare share;
        try {
            share = manager.store().holdSegments(status.name, manager.owner(), giveUp, options.lease());
        } catch (RuntimeException e) {
            if (!status.isDropped()) {
                status.reporter.outage("holding segments", e);
            }
            checkLease();
            return false;
        }
        status.reporter.over("holding segments");
        granted = requested;
        fair = share.fair();
        number = share.segments();
        giveUp.forEach(this::forget);
        update(share, startable);
        releaseSurplus();
        return true;
    }

    private void update(SegmentShare share, Set<Held> startable) {
        Map<Integer, SegmentLease> leases = new HashMap<>();
        share.held().forEach(lease -> leases.put(lease.segment(), lease));
        for (Held held : segments.values()) {
            SegmentLease lease = leases.remove(held.lease.segment());
            if (lease == null) {
                revoke(held);
            } else if (lease.epoch() != held.lease.epoch()) {
                retake(held, lease);
            } else {
                held.lease = lease;
            }
        }
        leases.values().forEach(lease -> {
            Held held = new Held(lease);
            status.lags.expect(lease.segment());
            segments.put(lease.segment(), held);
            startable.add(held);
        });
        startable.stream()
                .filter(held -> canStart(held) && held.slot.pauseLeft() == 0)
                .forEach(this::start);
    }

    /**
     * Restarts the loop of a segment that had another owner meanwhile, or after roles were exchanged, or the number of
     * segments has changed: the old loop can no longer write.
     */
    private void retake(Held held, SegmentLease lease) {
        reportLost(held);
        held.lease = lease;
        held.epoch = OUTDATED;
        held.slot.stop();
        status.keeperWake.signal();
    }

    private void revoke(Held held) {
        if (!held.lost) {
            held.lost = true;
            held.slot.stop();
            reportLost(held);
        }
        if (held.slot.isEmpty()) {
            forget(held.lease.segment());
        }
        status.keeperWake.signal();
    }

    /**
     * Reports a lost segment, unless a change of the status, the role or the number of segments of the projection
     * explains the loss.
     */
    private void reportLost(Held held) {
        if (!isChanged(held)) {
            log.warn(
                    "[{}] segment {} was taken over by another owner before it was released; the current batch is rolled back, and the new owner continues from the stored checkpoint",
                    status.name,
                    held.lease.segment());
            manager.tell(listener -> listener.segmentLost(status.name, held.lease.segment()));
        }
    }

    private boolean isChanged(Held held) {
        try {
            return manager.store()
                    .state(status.name)
                    .filter(state -> state.epoch() == held.epoch)
                    .isEmpty();
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void start(Held held) {
        SegmentLease lease = held.lease;
        held.epoch = status.state().epoch();
        held.slot.start(new Assignment(
                new Fence.Segment(status.name, manager.owner(), lease.segment(), lease.epoch()),
                held.epoch,
                new FeedRequest(status.name, lease.segment(), number, lease.position()),
                () -> granted.isHeld()));
    }

    private void releaseSurplus() {
        List<Held> staying = new ArrayList<>(segments.values());
        staying.removeIf(held -> held.leaving || held.lost);
        for (Held held : segments.values()) {
            if (held.leaving && staying.size() < fair) {
                held.leaving = false;
                staying.add(held);
            }
        }
        staying.sort(Comparator.comparing((Held held) -> held.slot.isEmpty())
                .thenComparingInt(held -> -held.lease.segment())
                .reversed());
        staying.stream().limit(Math.max(0, staying.size() - fair)).forEach(held -> {
            held.leaving = true;
            held.slot.stop();
            status.keeperWake.signal();
        });
    }

    private void end() throws InterruptedException {
        stopping = true;
        segments.values().forEach(held -> held.slot.stop());
        long nextHold = manager.now() + granted.left() - lease() / 2;
        while (segments.values().stream().anyMatch(held -> !held.slot.isEmpty())) {
            status.keeperWake.await(Math.max(1, Math.min(SOON, nextHold - manager.now())));
            segments.values().forEach(held -> held.slot.removeEnded());
            if (nextHold - manager.now() <= 0) {
                hold(); // a long batch may still be committed
                nextHold = manager.now() + lease() / 4;
            }
        }
        List.copyOf(segments.keySet()).forEach(this::forget);
        try {
            manager.store().leave(status.name, manager.owner());
        } catch (RuntimeException e) {
            status.reporter.outage("leaving segments", e); // other owners claim them when the leases expire
        }
    }

    @Override
    public void checkLease() {
        if (!granted.isHeld()) {
            segments.values().forEach(held -> held.slot.cancel());
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
        segments.values().forEach(held -> held.slot.cancel());
    }

    @Override
    public int held() {
        return granted.isHeld() ? segments.size() : 0;
    }
}

package dev.spream.projection.runner;

import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import java.time.Instant;
import java.util.List;

/** The lag of a segment, computed from the deliveries of its feed. Confined to the thread of its loop. */
final class FeedLag {
    private final ManagerContext<?> manager;
    private final SegmentLags lags;
    private final Assignment assignment;
    private SegmentLags.Sample last = SegmentLags.Sample.UNKNOWN;

    FeedLag(ManagerContext<?> manager, SegmentLags lags, Assignment assignment) {
        this.manager = manager;
        this.lags = lags;
        this.assignment = assignment;
    }

    /** Returns the sample while delivered items wait for more. */
    void gathered(BatchBuffer waiting, long seen) {
        long count = assignment.positioned() ? Math.max(waiting.size(), waiting.head() - seen) : waiting.size();
        found(SegmentLags.Sample.behind(count, waiting.oldest()));
    }

    /** Returns the sample before a batch is applied. */
    SegmentLags.Sample delivered(FeedBatch batch, List<FeedItem.Event> events, long seen) {
        Instant oldest = events.getFirst().envelope().occurredAt();
        for (FeedItem.Event event : events) {
            Instant at = event.envelope().occurredAt();
            oldest = at.isBefore(oldest) ? at : oldest;
        }
        long count = assignment.positioned() ? Math.max(events.size(), batch.head() - seen) : events.size();
        return found(SegmentLags.Sample.behind(count, oldest));
    }

    /** Returns the sample after everything up to a position was processed. */
    SegmentLags.Sample processed(FeedBatch batch, List<FeedItem.Event> events, long seen) {
        if (assignment.positioned() && batch.head() > seen) {
            return found(SegmentLags.Sample.behind(batch.head() - seen, oldestBehind(batch, events)));
        }
        return found(
                !assignment.positioned() && batch.waited().isPositive()
                        ? SegmentLags.Sample.unread(manager.instant().minus(batch.waited()))
                        : SegmentLags.Sample.caughtUp(manager.instant()));
    }

    /**
     * Returns the time of the oldest event. Events that cannot be delivered yet count as old as the delay itself;
     * nothing more is known of them.
     */
    private Instant oldestBehind(FeedBatch batch, List<FeedItem.Event> events) {
        if (batch.waited().isPositive()) {
            return manager.instant().minus(batch.waited());
        }
        return events.isEmpty()
                ? last.since().orElseGet(manager::instant)
                : events.getLast().envelope().occurredAt();
    }

    private SegmentLags.Sample found(SegmentLags.Sample sample) {
        last = sample;
        lags.found(assignment.request().segment(), sample);
        return sample;
    }

    /** Records that the segment is no longer read here. */
    void unattended() {
        lags.unattended(assignment.request().segment());
    }
}

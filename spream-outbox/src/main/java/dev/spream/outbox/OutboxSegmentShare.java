package dev.spream.outbox;

import java.util.List;

/**
 * The segments of a worker.
 *
 * @param held those that it holds until the lease that it asked for has run out
 * @param share how many it should have: all of them, shared evenly by the workers that are there, rounded up. Who holds more
 *     gives the surplus up when nothing of it is under way
 */
public record OutboxSegmentShare(List<OutboxSegmentLease> held, int share) {
    public OutboxSegmentShare {
        held = List.copyOf(held);
    }
}

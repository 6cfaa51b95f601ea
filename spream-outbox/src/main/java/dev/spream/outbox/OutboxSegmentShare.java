package dev.spream.outbox;

import java.util.List;

/**
 * The segments that a worker holds, and the number that it should hold.
 *
 * @param held the segments that it holds until the requested lease expires
 * @param share the number of segments it should hold: an even share among the active workers, rounded up. A worker that
 *     holds more releases the surplus once no entries of those segments are in flight
 */
public record OutboxSegmentShare(List<OutboxSegmentLease> held, int share) {
    public OutboxSegmentShare {
        held = List.copyOf(held);
    }
}

package dev.spream.projection.runner;

import dev.spream.projection.Fence;
import dev.spream.projection.event.FeedRequest;
import java.util.function.BooleanSupplier;

/**
 * The assignment of a loop: its feed, and the fence that it writes by.
 *
 * @param fence the fence of its writes
 * @param epoch the epoch of the projection when the assignment was made
 * @param request the request for its feed
 * @param held whether the assignment is still valid, as far as this process can determine
 */
record Assignment(Fence fence, long epoch, FeedRequest request, BooleanSupplier held) {
    /** The label of a feed without segments. */
    static final String WHOLE_FEED = "its feed";

    boolean positioned() {
        return fence instanceof Fence.Segment;
    }

    /** Returns the text for log lines. */
    String label() {
        return label(fence);
    }

    /** Returns the label of the writer with that fence. */
    static String label(Fence fence) {
        return fence instanceof Fence.Segment held ? label(held.segment()) : WHOLE_FEED;
    }

    static String label(int segment) {
        return "segment " + segment;
    }
}

package dev.spream.api.publish;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The messages of one key in a batch that wait to be sent, in order. A lane has one request in flight at a
 * time, so that no message overtakes another. Confined to the thread that publishes the batch.
 */
final class KeyLane<M> {
    private final Deque<LaneMessage<M>> waiting = new ArrayDeque<>();
    private int alone; // the number of the next messages that are sent in requests of their own
    private int blockedFrom = Integer.MAX_VALUE;

    void add(LaneMessage<M> message) {
        waiting.addLast(message);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Removes and returns the messages of the next request: as many as the limits allow, but at least one. */
    List<LaneMessage<M>> next(int maxMessages, long maxBytes) {
        List<LaneMessage<M>> request = new ArrayList<>();
        int limit = alone > 0 ? 1 : maxMessages;
        long bytes = 0;
        while (request.size() < limit && !waiting.isEmpty()) {
            bytes += waiting.getFirst().bytes();
            if (bytes > maxBytes && !request.isEmpty()) {
                break;
            }
            request.add(waiting.removeFirst());
        }
        alone = Math.max(0, alone - 1);
        return request;
    }

    /**
     * Puts the messages of a request back to the head, to be sent one by one.
     *
     * @return those that are not put back, because they were {@linkplain #block blocked} meanwhile
     */
    List<LaneMessage<M>> putBackAlone(List<LaneMessage<M>> request) {
        for (LaneMessage<M> message : request.reversed()) {
            waiting.addFirst(message);
        }
        alone = request.size();
        return removeFrom(blockedFrom);
    }

    /** Removes permanently the messages of the change at that index and of those after it. */
    List<LaneMessage<M>> block(int change) {
        blockedFrom = Math.min(blockedFrom, change);
        return removeFrom(blockedFrom);
    }

    private List<LaneMessage<M>> removeFrom(int change) {
        List<LaneMessage<M>> removed =
                waiting.stream().filter(message -> message.change() >= change).toList();
        waiting.removeIf(message -> message.change() >= change);
        return removed;
    }
}

package dev.spream.sink.kafka;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The messages of one key in a batch that wait to be sent, in order. A lane has one message in flight at a time, so that
 * no message overtakes another. Confined to the thread that publishes the batch.
 */
final class KeyLane {
    private final Deque<ChangeMessage> waiting = new ArrayDeque<>();

    /** @param change the index of the change in the batch */
    record ChangeMessage(int change, Message message) {}

    void add(ChangeMessage message) {
        waiting.addLast(message);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    ChangeMessage next() {
        return waiting.removeFirst();
    }

    /** Removes the messages of the change at that index and of those after it. */
    List<ChangeMessage> block(int change) {
        List<ChangeMessage> removed =
                waiting.stream().filter(message -> message.change() >= change).toList();
        waiting.removeIf(message -> message.change() >= change);
        return removed;
    }
}

package dev.spream.outbox.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The ordering keys known to a worker and the transitions between their states. Guarded by its {@link
 * OrderedClaimPlanner}.
 */
final class OrderingKeyStates {
    static final int MAX_KEYS = 100_000;

    /** The end of a key's wait; obsolete if the key has since left the state or waits until another time. */
    private record Alarm(OrderingKeyQueue queue, long at) {}

    private final SegmentReads segments;
    private final HeldSegments held;
    private final Map<String, OrderingKeyQueue> keys = new HashMap<>();
    private final LinkedHashSet<OrderingKeyQueue> ready = new LinkedHashSet<>();
    private final LinkedHashSet<String> staleKeys = new LinkedHashSet<>();
    private final PriorityQueue<Alarm> dueKeys = new PriorityQueue<>((a, b) -> Long.signum(a.at() - b.at()));

    private volatile int readyKeys;

    OrderingKeyStates(SegmentReads segments, HeldSegments held) {
        this.segments = segments;
        this.held = held;
    }

    /** Returns the number of keys in state {@code READY}. May be called by any thread. */
    int readyKeys() {
        return readyKeys;
    }

    boolean isFull() {
        return keys.size() >= MAX_KEYS;
    }

    @Nullable
    OrderingKeyQueue find(String key) {
        return keys.get(key);
    }

    Collection<OrderingKeyQueue> all() {
        return List.copyOf(keys.values());
    }

    /** Adds a new key, in state {@code NEW}. */
    OrderingKeyQueue open(String key, int segment) {
        OrderingKeyQueue queue = new OrderingKeyQueue(key, segment);
        keys.put(key, queue);
        return queue;
    }

    List<String> staleKeys(int limit) {
        return staleKeys.stream().limit(limit).toList();
    }

    /**
     * Makes a key wait. If the number of keys exceeds half the maximum, the key is dropped instead and found again by a
     * later scan.
     */
    void await(OrderingKeyQueue queue, long until, boolean readsAfterwards) {
        leaveState(queue);
        if (keys.size() > MAX_KEYS / 2) {
            keys.remove(queue.key, queue);
            return;
        }
        queue.shrink();
        queue.state = OrderingKeyQueue.State.WAITING;
        queue.waitsUntil = until;
        queue.readsAfterwards = readsAfterwards;
        dueKeys.add(new Alarm(queue, until));
    }

    void makeReady(OrderingKeyQueue queue) {
        leaveState(queue);
        queue.state = OrderingKeyQueue.State.READY;
        ready.add(queue);
        segments.count(queue.segment, queue.ids.size());
        readyKeys = ready.size();
    }

    void markStale(OrderingKeyQueue queue) {
        leaveState(queue);
        queue.forget();
        queue.state = OrderingKeyQueue.State.UNCLEAR;
        staleKeys.add(queue.key);
    }

    /** Makes the key that has been ready longest busy with its first entry and returns it; null if none is ready. */
    @Nullable
    OrderingKeyQueue makeNextBusy() {
        if (ready.isEmpty()) {
            return null;
        }
        OrderingKeyQueue queue = ready.getFirst();
        leaveState(queue);
        queue.busyId = queue.ids.removeFirst();
        queue.state = OrderingKeyQueue.State.BUSY;
        segments.count(queue.segment, queue.ids.size());
        held.countBusy(queue.segment, 1);
        return queue;
    }

    /** Returns the entry that the key was busy with to its queue. */
    void putBack(OrderingKeyQueue queue) {
        if (queue.ids.add(queue.busyId)) {
            segments.count(queue.segment, 1);
        }
    }

    void remove(OrderingKeyQueue queue) {
        leaveState(queue);
        keys.remove(queue.key, queue);
    }

    /** Removes a key from its current state; its state is {@code NEW} afterwards. */
    void leaveState(OrderingKeyQueue queue) {
        switch (queue.state) {
            case NEW, WAITING -> {}
            case READY -> {
                ready.remove(queue);
                segments.count(queue.segment, -queue.ids.size());
                readyKeys = ready.size();
            }
            case BUSY -> {
                segments.count(queue.segment, -queue.ids.size());
                held.countBusy(queue.segment, -1);
            }
            case UNCLEAR -> staleKeys.remove(queue.key);
        }
        queue.state = OrderingKeyQueue.State.NEW;
    }

    /** Ends the wait of the keys whose time has come. */
    void releaseDue(long now) {
        while (!dueKeys.isEmpty() && dueKeys.peek().at() - now <= 0) {
            Alarm alarm = dueKeys.remove();
            OrderingKeyQueue queue = alarm.queue();
            if (queue.state == OrderingKeyQueue.State.WAITING && queue.waitsUntil == alarm.at()) {
                if (queue.readsAfterwards) {
                    markStale(queue);
                } else {
                    makeReady(queue);
                }
            }
        }
    }

    /** Returns the time until the wait of the next key ends, in nanoseconds. */
    long nextDue(long now) {
        return dueKeys.isEmpty() ? Long.MAX_VALUE : Math.max(0, dueKeys.peek().at() - now);
    }
}

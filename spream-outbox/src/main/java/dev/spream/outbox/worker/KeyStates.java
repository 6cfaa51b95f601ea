package dev.spream.outbox.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The ordering keys that a worker knows, each in one state, and how they get from one to another. Confined to its {@link
 * KeyPlan}.
 */
final class KeyStates {
    static final int MAX_KEYS = 100_000;

    /** A time at which a key has waited enough; void if the key waits for another time by now. */
    private record Alarm(KeyQueue queue, long at) {}

    private final HeldLanes lanes;
    private final Map<String, KeyQueue> keys = new HashMap<>();
    private final LinkedHashSet<KeyQueue> ready = new LinkedHashSet<>();
    private final LinkedHashSet<String> unclear = new LinkedHashSet<>();
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>((a, b) -> Long.signum(a.at() - b.at()));

    private volatile int readyKeys;

    KeyStates(HeldLanes lanes) {
        this.lanes = lanes;
    }

    /** How many keys could be claimed now. May be called by any thread. */
    int readyKeys() {
        return readyKeys;
    }

    boolean isFull() {
        return keys.size() >= MAX_KEYS;
    }

    @Nullable
    KeyQueue find(String key) {
        return keys.get(key);
    }

    Collection<KeyQueue> all() {
        return List.copyOf(keys.values());
    }

    /** A key that was not known, and is to be placed. */
    KeyQueue open(String key, int lane) {
        KeyQueue queue = new KeyQueue(key, lane);
        keys.put(key, queue);
        return queue;
    }

    List<String> unclear(int limit) {
        return unclear.stream().limit(limit).toList();
    }

    /** Has a key wait. If very many do, it is forgotten instead, to be found again. */
    void await(KeyQueue queue, long until, boolean readsAfterwards) {
        leaveState(queue);
        if (keys.size() > MAX_KEYS / 2) {
            keys.remove(queue.key, queue);
            return;
        }
        queue.shrink();
        queue.state = KeyQueue.State.WAITING;
        queue.waitsUntil = until;
        queue.readsAfterwards = readsAfterwards;
        alarms.add(new Alarm(queue, until));
    }

    void makeReady(KeyQueue queue) {
        leaveState(queue);
        queue.state = KeyQueue.State.READY;
        ready.add(queue);
        lanes.count(queue.lane, queue.ids.size());
        readyKeys = ready.size();
    }

    void makeUnclear(KeyQueue queue) {
        leaveState(queue);
        queue.forget();
        queue.state = KeyQueue.State.UNCLEAR;
        unclear.add(queue.key);
    }

    /** The key that has been ready longest is busy with its first entry from now on; null if none is ready. */
    @Nullable
    KeyQueue makeNextBusy() {
        if (ready.isEmpty()) {
            return null;
        }
        KeyQueue queue = ready.getFirst();
        leaveState(queue);
        queue.busyId = queue.ids.removeFirst();
        queue.state = KeyQueue.State.BUSY;
        lanes.count(queue.lane, queue.ids.size());
        lanes.countBusy(queue.lane, 1);
        return queue;
    }

    /** Puts the entry back that the key was busy with. */
    void putBack(KeyQueue queue) {
        if (queue.ids.add(queue.busyId)) {
            lanes.count(queue.lane, 1);
        }
    }

    void remove(KeyQueue queue) {
        leaveState(queue);
        keys.remove(queue.key, queue);
    }

    /** Takes a key out of what it is in; it is new then. */
    void leaveState(KeyQueue queue) {
        switch (queue.state) {
            case NEW, WAITING -> {}
            case READY -> {
                ready.remove(queue);
                lanes.count(queue.lane, -queue.ids.size());
                readyKeys = ready.size();
            }
            case BUSY -> {
                lanes.count(queue.lane, -queue.ids.size());
                lanes.countBusy(queue.lane, -1);
            }
            case UNCLEAR -> unclear.remove(queue.key);
        }
        queue.state = KeyQueue.State.NEW;
    }

    /** Lets those keys go on that have waited enough. */
    void ring(long now) {
        while (!alarms.isEmpty() && alarms.peek().at() - now <= 0) {
            Alarm alarm = alarms.remove();
            KeyQueue queue = alarm.queue();
            if (queue.state == KeyQueue.State.WAITING && queue.waitsUntil == alarm.at()) {
                if (queue.readsAfterwards) {
                    makeUnclear(queue);
                } else {
                    makeReady(queue);
                }
            }
        }
    }

    /** In how many nanoseconds the next key has waited enough. */
    long nextAlarm(long now) {
        return alarms.isEmpty() ? Long.MAX_VALUE : Math.max(0, alarms.peek().at() - now);
    }
}

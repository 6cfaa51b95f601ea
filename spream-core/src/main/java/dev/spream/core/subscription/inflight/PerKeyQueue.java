package dev.spream.core.subscription.inflight;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The lanes of the keys of one partition, which determine the records that may be consumed now. A record is in the
 * lane of each of its keys, and may start when it is the first unsettled one in all of them: so records of one key
 * start one after the other in read order, and records of other keys do not wait. Safe for use by many threads; no
 * method blocks.
 *
 * <p>Where another partition was the source of its keys, its records also follow those that were in flight there
 * ({@link PendingLanes}).
 *
 * <p>Vocabulary: a record <em>enters</em> once, in read order; it is <em>ready</em> when no record before it in its lanes
 * is left; it is <em>taken</em> to be consumed, and then <em>leaves</em>, settled, or is <em>put back</em>. A taken record
 * keeps its place in its lanes.
 *
 * <p>Invariants: a lane's newest record is known, older ones are linked to their followers; {@code waitingFor} counts the
 * lanes in which a record is not the first, those of other partitions included. A record only ever waits for records
 * that entered before it, so there is no cycle. No monitor of a queue is held while that of another is taken: queues can
 * precede each other.
 */
public final class PerKeyQueue {
    // Guarded by this object's monitor, all sections being short and pure; the fields of records that belong to it as
    // well.
    private final Map<Object, InflightRecord> newest = new HashMap<>();
    private final PriorityQueue<InflightRecord> ready =
            new PriorityQueue<>(Comparator.comparingLong(InflightRecord::sequence));
    private final Runnable onReady;

    private volatile List<PendingLanes> predecessors = List.of();

    /** @param onReady called without a lock when a record became ready because one of another partition left */
    public PerKeyQueue(Runnable onReady) {
        this.onReady = onReady;
    }

    /** Sets the records of other partitions that those that enter from now on follow. */
    public void continueAfter(List<PendingLanes> others) {
        predecessors = List.copyOf(others);
    }

    /** Returns the newest records of all lanes. */
    public synchronized PendingLanes pending() {
        return new PendingLanes(this, newest);
    }

    public void enter(InflightRecord record) {
        enter(record, predecessors.isEmpty() ? 0 : followPredecessors(record));
    }

    private int followPredecessors(InflightRecord record) {
        int following = 0;
        for (PendingLanes predecessor : predecessors) {
            for (Object lane : record.lanes()) {
                following += predecessor.precedes(lane, record, this) ? 1 : 0;
            }
        }
        return following;
    }

    /** Lets a record of another queue follow one of this queue, unless that has left. */
    synchronized boolean precedes(InflightRecord before, InflightRecord record, PerKeyQueue other) {
        if (before.left) {
            return false;
        }
        if (before.others.isEmpty()) {
            before.others = new ArrayList<>(1);
        }
        return before.others.add(new Follower(other, record));
    }

    /** @param following how many records of other partitions it follows, of which some may have left meanwhile */
    private synchronized void enter(InflightRecord record, int following) {
        record.waitingFor += following;
        record.entered = true;
        for (Object lane : record.lanes()) {
            InflightRecord before = newest.put(lane, record);
            if (before != null) {
                record.follow(before);
            }
        }
        if (record.waitingFor == 0) {
            ready.add(record);
        }
    }

    /** Returns the number of ready records. */
    public synchronized int ready() {
        return ready.size();
    }

    /**
     * Takes records that may be consumed together, in this order: each is ready, or waits only for records before it in
     * the list. The oldest ready record is among them; a record that has to be alone is returned alone.
     *
     * @return at most that many, in read order; none if none is ready
     */
    public synchronized List<InflightRecord> take(int max) {
        InflightRecord first = ready.poll();
        if (first == null) {
            return List.of();
        }
        first.taken = true;
        if (max == 1 || first.alone) {
            return List.of(first);
        }
        return takeWith(first, max);
    }

    private List<InflightRecord> takeWith(InflightRecord first, int max) {
        List<InflightRecord> batch = new ArrayList<>();
        PriorityQueue<InflightRecord> following = new PriorityQueue<>(ready.comparator());
        for (InflightRecord next = first; next != null; next = batch.size() < max ? older(following) : null) {
            next.taken = true;
            batch.add(next);
            for (InflightRecord follower : next.followers) {
                follower.waitingFor--;
                if (follower.waitingFor == 0 && !follower.alone && !follower.taken) {
                    following.add(follower);
                }
            }
        }
        batch.forEach(taken -> taken.followers.forEach(follower -> follower.waitingFor++));
        batch.sort(ready.comparator());
        return batch;
    }

    /**
     * Removes and returns the older of the next ready record and the next follower; null if there is none that may be
     * added.
     */
    private InflightRecord older(PriorityQueue<InflightRecord> following) {
        InflightRecord free = ready.peek();
        InflightRecord follower = following.peek();
        boolean takesFree = free != null && !free.alone && (follower == null || free.sequence() < follower.sequence());
        return takesFree ? ready.poll() : following.poll();
    }

    /** Puts a record back that was taken and not settled; it is ready again when nothing before it is left. */
    public synchronized void putBack(InflightRecord record, boolean alone) {
        requireTaken(record);
        record.taken = false;
        record.alone |= alone;
        if (record.waitingFor == 0) {
            ready.add(record);
        }
    }

    /**
     * Removes a settled record; records that waited for it alone become ready. One that was settled before a record
     * that it had to follow, as a batch consumer can do, is removed together with that: records after both must not
     * overtake the other.
     *
     * @return records of other partitions that waited for those that left; to be {@linkplain Follower#release released}
     *     when the caller holds no lock
     */
    public synchronized List<Follower> leave(InflightRecord record) {
        requireTaken(record);
        record.settled = true;
        return record.waitingFor == 0 ? remove(record) : List.of();
    }

    /** Removes a settled record that follows no other, and those that were settled before and followed only it. */
    private List<Follower> remove(InflightRecord record) {
        List<Follower> others = List.of();
        Deque<InflightRecord> leaving = new ArrayDeque<>();
        leaving.add(record);
        for (InflightRecord gone = leaving.poll(); gone != null; gone = leaving.poll()) {
            for (Object lane : gone.lanes()) {
                newest.remove(lane, gone);
            }
            gone.left = true;
            if (!gone.others.isEmpty()) {
                others = concat(others, gone.others);
                gone.others = List.of();
            }
            for (InflightRecord follower : gone.followers) {
                if (--follower.waitingFor > 0) {
                    continue;
                }
                if (follower.settled) {
                    leaving.add(follower);
                } else if (!follower.taken) {
                    ready.add(follower);
                }
            }
            gone.followers = List.of(); // it may be reachable from a departure for long
        }
        return others;
    }

    private static List<Follower> concat(List<Follower> some, List<Follower> more) {
        List<Follower> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    /** A record of a queue that follows one of another queue. */
    public record Follower(PerKeyQueue queue, InflightRecord record) {

        /** Lets the record no longer wait for the one that it followed. */
        public void release() {
            List<Follower> others = queue.released(record);
            queue.onReady.run();
            others.forEach(Follower::release);
        }
    }

    private synchronized List<Follower> released(InflightRecord record) {
        record.waitingFor--;
        if (record.waitingFor > 0 || !record.entered) {
            return List.of();
        }
        if (record.settled) {
            return remove(record);
        }
        if (!record.taken) {
            ready.add(record);
        }
        return List.of();
    }

    private static void requireTaken(InflightRecord record) {
        if (!record.taken) {
            throw new IllegalStateException("record %d was not taken from the queue".formatted(record.sequence()));
        }
    }
}

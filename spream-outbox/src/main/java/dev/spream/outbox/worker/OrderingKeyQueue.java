package dev.spream.outbox.worker;

import java.util.TreeSet;

/**
 * The queue of one ordering key as known to a worker: the ids of its first entries, and its state. Guarded by its
 * {@link OrderedClaimPlanner}.
 */
final class OrderingKeyQueue {
    /** The maximum number of ids that are kept; later ones are read again when needed. */
    static final int MAX_IDS = 32;

    enum State {
        /** Without a state yet. */
        NEW,
        /** The first entry may be claimed. */
        READY,
        /** An entry is claimed or being claimed. */
        BUSY,
        /** The first entry may not be claimed before a time. */
        WAITING,
        /** The entries are unknown; the key has to be read from the store first. */
        UNCLEAR
    }

    final String key;
    final int segment;
    final TreeSet<Long> ids = new TreeSet<>();

    /** Whether the store may have entries after the last id that is kept. */
    boolean more;

    State state = State.NEW;

    /** The id of the claimed entry, if the state is {@code BUSY}. */
    long busyId;

    /** The end of the wait, by the worker's clock. */
    long waitsUntil;

    /** Whether the key is read from the store after the wait, instead of claiming its first entry. */
    boolean readsAfterwards;

    /** The number of consecutive reads and claims that returned no entry to send. */
    int failedClaims;

    OrderingKeyQueue(String key, int segment) {
        this.key = key;
        this.segment = segment;
    }

    /** Adds an entry; returns false if it is already known or not kept. */
    boolean add(long id) {
        if (state == State.BUSY && id == busyId) {
            return false;
        }
        boolean behind = ids.isEmpty() || id > ids.last();
        if (behind && (more || ids.size() >= MAX_IDS)) {
            more = true;
            return false;
        }
        if (!ids.add(id)) {
            return false;
        }
        if (ids.size() > MAX_IDS) {
            ids.pollLast();
            more = true;
        }
        return true;
    }

    /** Removes all but the first entry. */
    void shrink() {
        while (ids.size() > 1) {
            ids.pollLast();
            more = true;
        }
    }

    /** Removes all entries; the key has to be read from the store. */
    void forget() {
        more |= !ids.isEmpty();
        ids.clear();
    }
}

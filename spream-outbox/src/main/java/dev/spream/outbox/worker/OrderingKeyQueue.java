package dev.spream.outbox.worker;

import java.util.TreeSet;

/**
 * The queue of one ordering key, as far as a worker knows it: the ids of its first entries, and what keeps the first
 * one from being claimed. Confined to its {@link OrderedClaimPlanner}.
 */
final class OrderingKeyQueue {
    /** Number of ids that are kept; the rest is read again when it is needed. */
    static final int MAX_IDS = 32;

    enum State {
        /** Not placed yet. */
        NEW,
        /** Its first entry may be claimed. */
        READY,
        /** One of its entries is claimed, or is being claimed. */
        BUSY,
        /** Not before a time. */
        WAITING,
        /** Unclear; it has to be read from the store first. */
        UNCLEAR
    }

    final String key;
    final int segment;
    final TreeSet<Long> ids = new TreeSet<>();

    /** Whether the store may have entries behind the last id that is kept. */
    boolean more;

    State state = State.NEW;

    /** The entry that is claimed, if the state is busy. */
    long busyId;

    /** Until when it waits, by the worker's clock. */
    long waitsUntil;

    /** Whether to read it from the store when it has waited, rather than to claim its first entry. */
    boolean readsAfterwards;

    /** Number of reads in a row that returned nothing to claim. */
    int failedClaims;

    OrderingKeyQueue(String key, int segment) {
        this.key = key;
        this.segment = segment;
    }

    /** Adds an entry; false if it is not kept, or was known. */
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

    /** Keeps no more than the first entry. */
    void shrink() {
        while (ids.size() > 1) {
            ids.pollLast();
            more = true;
        }
    }

    /** Forgets all entries; the store has to be read. */
    void forget() {
        more |= !ids.isEmpty();
        ids.clear();
    }
}

package dev.spream.core.subscription.transaction;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The transactions that wait for each other: of those with a common key, each waits for the ones before it. Not safe for
 * use by many threads.
 */
final class TransactionLanes {
    private final Map<Object, Deque<OpenTransaction>> lanes = new HashMap<>();

    /** Adds a transaction behind those that have the key. */
    void enter(OpenTransaction transaction, Object key) {
        Deque<OpenTransaction> lane = lanes.computeIfAbsent(key, k -> new ArrayDeque<>(2));
        if (!lane.isEmpty()) {
            transaction.waitingFor++;
        }
        lane.addLast(transaction);
    }

    /** Removes a transaction; returns the one that was waiting for it there. */
    Optional<OpenTransaction> leave(OpenTransaction transaction, Object key) {
        Deque<OpenTransaction> lane = lanes.get(key);
        if (lane == null) {
            return Optional.empty();
        }
        if (lane.peekFirst() != transaction) {
            lane.remove(transaction);
            transaction.waitingFor--;
            return Optional.empty();
        }
        lane.removeFirst();
        OpenTransaction next = lane.peekFirst();
        if (next == null) {
            lanes.remove(key);
        } else {
            next.waitingFor--;
        }
        return Optional.ofNullable(next);
    }
}

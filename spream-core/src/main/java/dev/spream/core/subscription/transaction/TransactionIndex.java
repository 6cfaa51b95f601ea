package dev.spream.core.subscription.transaction;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.transaction.OpenTransaction.Part;
import dev.spream.core.subscription.transaction.OpenTransaction.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The transactions of which changes were read and are not settled: by id, by state in commit order, and in the lanes of their
 * keys; and the memory that their changes take. Guarded by the lock of its {@link TransactionAssembler}.
 */
final class TransactionIndex {
    /** In place of an id in the buffer. */
    static final long IN_MEMORY = 0;

    private final boolean inCommitOrder;
    private final ChangeBuffer buffer;
    private final Map<String, OpenTransaction> open = new HashMap<>();
    private final TreeSet<OpenTransaction> incomplete = new TreeSet<>(OpenTransaction.COMMIT_ORDER);
    private final TreeSet<OpenTransaction> undelivered = new TreeSet<>(OpenTransaction.COMMIT_ORDER);
    private final TreeSet<OpenTransaction> ready = new TreeSet<>(OpenTransaction.COMMIT_ORDER);
    private final TransactionLanes lanes = new TransactionLanes();
    private final List<Long> unneeded = new ArrayList<>(); // in the buffer
    private long transactions;
    private long bytes;

    /** @param inCommitOrder whether a complete transaction is not ready before {@link #makeFirstReady} finds it first of all */
    TransactionIndex(boolean inCommitOrder, ChangeBuffer buffer) {
        this.inCommitOrder = inCommitOrder;
        this.buffer = buffer;
    }

    /** Returns the size of the changes in memory, with what those in the buffer take there. */
    long bytes() {
        return bytes;
    }

    /** Adds a change to its transaction. */
    void add(DataChangeRecord change, Part part) {
        OpenTransaction transaction = waiting(change);
        bytes += part.bytes();
        transaction.add(part).forEach(key -> lanes.enter(transaction, key));
        if (transaction.isComplete()) {
            incomplete.remove(transaction);
            transaction.missing(Optional.empty());
            transaction.state = State.WAITING;
        }
        makeReady(transaction);
    }

    /**
     * Returns the transaction that the change is added to. One whose delivery has begun gets nothing more: what comes then
     * was settled before, or belongs to a partition that is read again, and is delivered by itself.
     */
    private OpenTransaction waiting(DataChangeRecord change) {
        OpenTransaction known = open.get(change.serverTransactionId());
        if (known == null || known.state == State.DELIVERING) {
            OpenTransaction first = new OpenTransaction(++transactions, change, known != null, buffer);
            incomplete.add(first);
            undelivered.add(first);
            open.put(first.id(), first);
            return first;
        }
        if (known.state == State.READY) {
            ready.remove(known);
            known.state = State.WAITING;
        }
        return known;
    }

    private void makeReady(OpenTransaction transaction) {
        if (transaction.state == State.WAITING && transaction.waitingFor == 0 && !inCommitOrder) {
            transaction.state = State.READY;
            ready.add(transaction);
        }
    }

    /** Takes the earliest transaction of which changes are missing, if it was committed before that time. */
    Optional<OpenTransaction> pollIncompleteBefore(Instant low) {
        while (!incomplete.isEmpty() && incomplete.first().commitTimestamp().isBefore(low)) {
            OpenTransaction transaction = incomplete.pollFirst();
            if (transaction.state == State.INCOMPLETE) {
                return Optional.of(transaction);
            }
        }
        return Optional.empty();
    }

    /** Lets a transaction be delivered as it is. */
    void deliverWithout(MissingChanges missing, OpenTransaction transaction) {
        transaction.missing(Optional.of(missing));
        transaction.state = State.WAITING;
        makeReady(transaction);
    }

    /** Makes the first transaction of all ready, if it is complete and was committed before that time. */
    void makeFirstReady(Instant low) {
        if (ready.isEmpty() && !undelivered.isEmpty()) {
            OpenTransaction first = undelivered.first();
            if (first.state == State.WAITING && first.commitTimestamp().isBefore(low)) {
                first.state = State.READY;
                ready.add(first);
            }
        }
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Takes the first transaction that is ready, for its delivery. */
    OpenTransaction beginFirstReady() {
        OpenTransaction transaction = ready.removeFirst();
        undelivered.remove(transaction);
        transaction.state = State.DELIVERING;
        transaction.sort();
        return transaction;
    }

    /** Lets a transaction whose delivery was left wait again, without the changes of partitions that are no longer read here. */
    void putBack(OpenTransaction transaction) {
        transaction.state = State.WAITING;
        undelivered.add(transaction);
        transaction.sources().stream()
                .filter(TransactionSource::isStopping)
                .forEach(source -> removeParts(transaction, source));
        makeReady(transaction);
    }

    void remove(OpenTransaction transaction) {
        transaction.state = State.GONE;
        open.remove(transaction.id(), transaction);
        undelivered.remove(transaction);
        ready.remove(transaction);
        incomplete.remove(transaction);
        leave(transaction, List.copyOf(transaction.keys()));
        transaction.parts().forEach(this::forget);
    }

    /** Removes what was taken from a partition, except from deliveries under way. */
    void removeAllOf(TransactionSource source) {
        List.copyOf(undelivered).forEach(transaction -> removeParts(transaction, source));
    }

    private void removeParts(OpenTransaction transaction, TransactionSource source) {
        List<Part> removed = new ArrayList<>();
        List<Object> gone = transaction.remove(source, removed);
        if (removed.isEmpty()) {
            return;
        }
        removed.forEach(this::forget);
        leave(transaction, gone);
        ready.remove(transaction);
        if (transaction.size() == 0) {
            remove(transaction);
        } else {
            transaction.state = State.INCOMPLETE;
            incomplete.add(transaction);
        }
    }

    private void leave(OpenTransaction transaction, List<Object> keys) {
        keys.forEach(key -> lanes.leave(transaction, key).ifPresent(this::makeReady));
    }

    private void forget(Part part) {
        bytes -= part.bytes();
        if (part.stored() != IN_MEMORY) {
            unneeded.add(part.stored());
        }
    }

    /** Takes the ids in the buffer of what was forgotten. */
    List<Long> takeUnneeded() {
        List<Long> ids = List.copyOf(unneeded);
        unneeded.clear();
        return ids;
    }
}

package dev.spream.core.subscription.transaction;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.inflight.InflightRecord;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The changes of one transaction that were read and are not settled. Guarded by the lock of its {@link TransactionAssembler}. */
public final class OpenTransaction {
    static final Comparator<OpenTransaction> COMMIT_ORDER = Comparator.comparing(OpenTransaction::commitTimestamp)
            .thenComparing(OpenTransaction::id)
            .thenComparingLong(transaction -> transaction.number);

    /** The order of record sequences, which are numbers with leading zeros. */
    private static final Comparator<Part> RECORD_SEQUENCE = Comparator.comparingInt(
                    (Part part) -> part.recordSequence().length())
            .thenComparing(Part::recordSequence);

    /** About how much memory a change takes while it is in the buffer. */
    private static final long BUFFERED_BYTES = 512;

    /** About how much memory a key with its lane takes. */
    private static final long KEY_BYTES = 512;

    /** The state of a transaction. */
    enum State {
        /** Changes of it are missing. */
        INCOMPLETE,
        /** It waits for its turn. */
        WAITING,
        /** It may be delivered. */
        READY,
        /** It is being delivered. */
        DELIVERING,
        /** It is settled, or left. */
        GONE
    }

    /**
     * A change of it.
     *
     * @param sequence its sequence in the tracker of its partition
     * @param change the change; null while it is in the buffer
     * @param stored its id in the buffer; 0 while it is in memory
     */
    public record Part(
            TransactionSource source,
            long sequence,
            String recordSequence,
            long bytes,
            Set<?> keys,
            @Nullable DataChangeRecord change,
            long stored) {}

    private final long number;
    private final DataChangeRecord first; // its rows are not used
    private final List<Part> parts = new ArrayList<>();
    private final Map<Object, Integer> keys = new HashMap<>();
    private final ChangeBuffer buffer;
    State state = State.INCOMPLETE;

    /** In how many lanes it is not the first. */
    int waitingFor;

    private final boolean deliveredBefore;
    private Optional<MissingChanges> missing = Optional.empty();

    /**
     * @param number the number in the order in which transactions were first read, different for each
     * @param deliveredBefore whether the delivery of other changes of it had begun in this process
     */
    OpenTransaction(long number, DataChangeRecord first, boolean deliveredBefore, ChangeBuffer buffer) {
        this.number = number;
        this.deliveredBefore = deliveredBefore;
        this.first = first.with(List.of(), List.of());
        this.buffer = buffer;
    }

    public String id() {
        return first.serverTransactionId();
    }

    public Instant commitTimestamp() {
        return first.commitTimestamp();
    }

    /** Returns the change that was read first, without its rows. */
    public DataChangeRecord first() {
        return first;
    }

    public int size() {
        return parts.size();
    }

    boolean isDeliveredBefore() {
        return deliveredBefore;
    }

    /** Returns why changes of it are missing although it is delivered; empty if it is delivered as a whole. */
    public Optional<MissingChanges> missing() {
        return missing;
    }

    void missing(Optional<MissingChanges> value) {
        missing = value;
    }

    boolean isComplete() {
        return parts.size() >= first.numberOfRecordsInTransaction();
    }

    public List<Part> parts() {
        return parts;
    }

    /** Adds a change; returns those of its keys that the transaction did not have. */
    List<Object> add(Part part) {
        parts.add(part);
        List<Object> fresh = new ArrayList<>();
        for (Object key : part.keys()) {
            if (keys.merge(key, 1, Integer::sum) == 1) {
                fresh.add(key);
            }
        }
        return fresh;
    }

    /** Removes the changes of a partition; returns the keys that the transaction no longer has. */
    List<Object> remove(TransactionSource source, List<Part> removed) {
        List<Object> gone = new ArrayList<>();
        parts.removeIf(part -> {
            if (!part.source().equals(source)) {
                return false;
            }
            removed.add(part);
            for (Object key : part.keys()) {
                if (keys.merge(key, -1, Integer::sum) == 0) {
                    keys.remove(key);
                    gone.add(key);
                }
            }
            return true;
        });
        return gone;
    }

    Set<Object> keys() {
        return keys.keySet();
    }

    boolean has(TransactionSource source) {
        return parts.stream().anyMatch(part -> part.source().equals(source));
    }

    List<TransactionSource> sources() {
        return parts.stream().map(Part::source).distinct().toList();
    }

    /** Puts the changes in the order of their record sequences; nothing is added or removed afterwards. */
    void sort() {
        parts.sort(RECORD_SEQUENCE);
    }

    /** Returns a view of its changes, which reads those from disk that are there. */
    public List<DataChangeRecord> changes() {
        return new Changes();
    }

    /** Returns about how much memory a change takes with that many keys, each of which has a lane. */
    public static long bytesOf(DataChangeRecord change, int keys) {
        return InflightRecord.sizeOf(change) + keys * KEY_BYTES;
    }

    /** Returns about how much memory a change takes that is in the buffer. */
    static long bytesOfBuffered(int keys) {
        return BUFFERED_BYTES + keys * KEY_BYTES;
    }

    private final class Changes extends AbstractList<DataChangeRecord> implements RandomAccess {
        @Override
        public DataChangeRecord get(int index) {
            Part part = parts.get(index);
            DataChangeRecord change = part.change();
            return change == null ? buffer.read(part.stored()) : change;
        }

        @Override
        public int size() {
            return parts.size();
        }
    }
}

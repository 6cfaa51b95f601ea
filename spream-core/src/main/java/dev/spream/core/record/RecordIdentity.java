package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Comparator;

/**
 * The identity of a data change record: equal when the record is delivered again, and ordered among others. Use its
 * {@link #toString()} as an idempotency key.
 *
 * @param commitTimestamp when the transaction committed
 * @param serverTransactionId the transaction; transactions may share a commit timestamp
 * @param recordSequence the record within its transaction; compared as text
 */
public record RecordIdentity(Instant commitTimestamp, String serverTransactionId, String recordSequence)
        implements Comparable<RecordIdentity> {
    private static final Comparator<RecordIdentity> ORDER = Comparator.comparing(RecordIdentity::commitTimestamp)
            .thenComparing(RecordIdentity::serverTransactionId)
            .thenComparing(RecordIdentity::recordSequence);

    public RecordIdentity {
        requireNonNull(commitTimestamp, "commitTimestamp");
        requireNonNull(serverTransactionId, "serverTransactionId");
        requireNonNull(recordSequence, "recordSequence");
    }

    @Override
    public int compareTo(RecordIdentity other) {
        return ORDER.compare(this, other);
    }

    /**
     * Returns the three parts with slashes between, such as {@code 2022-09-27T12:30:00.123456Z/6329047911/00000000}.
     */
    @Override
    public String toString() {
        return commitTimestamp + "/" + serverTransactionId + "/" + recordSequence;
    }
}

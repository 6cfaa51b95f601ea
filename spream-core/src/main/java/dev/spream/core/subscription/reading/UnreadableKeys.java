package dev.spream.core.subscription.reading;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;

/**
 * A change whose primary keys cannot be read, in the form in which it is dead-lettered: its place among the changes
 * of its keys is not known.
 *
 * @param standIn the change without its rows
 * @param failure the failure, with the change as received
 */
public record UnreadableKeys(DataChangeRecord standIn, UndecodableRowException failure) {

    /** Returns the change in this form; empty if its keys can be read. */
    public static Optional<UnreadableKeys> of(DataChangeRecord change) {
        try {
            RecordKey.of(change);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            String message = "the primary keys of %s cannot be read".formatted(change.identity());
            return Optional.of(
                    new UnreadableKeys(standIn(change), new UndecodableRowException(message, change.toJson(), e)));
        }
    }

    private static DataChangeRecord standIn(DataChangeRecord change) {
        return DataChangeRecord.withoutRows(
                change.commitTimestamp(), change.recordSequence(), change.serverTransactionId(), change.tableName());
    }
}

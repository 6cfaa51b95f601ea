package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The stores that may keep letters of the partitions of one subscription. */
final class PartitionTable {
    private static final String TAKE_OVER = """
            INSERT INTO @dead_letter_partitions AS p (partition_hash, subscription, store, acquired_at)
            VALUES (?, ?, ?, clock_timestamp())
            ON CONFLICT (partition_hash, subscription)
            DO UPDATE SET store = excluded.store, acquired_at = excluded.acquired_at""";

    private static final String OWNER =
            "SELECT store FROM @dead_letter_partitions WHERE partition_hash = ? AND subscription = ? FOR SHARE";

    /** The retention is longer than a worker can be suspended in the middle of a call. */
    private static final String PRUNE = """
            DELETE FROM @dead_letter_partitions
            WHERE subscription = ? AND acquired_at < clock_timestamp() - interval '90 days'""";

    private final String subscription;
    private final String store = UUID.randomUUID().toString();

    PartitionTable(String subscription) {
        this.subscription = subscription;
    }

    /**
     * Takes the partition over. Waits for letters of the partition that are being stored, and prevents other stores
     * from storing any from now on.
     */
    void takeOver(Statements transaction, PartitionToken partition) throws SQLException {
        transaction.update(
                TAKE_OVER,
                p -> p.text(Hashes.of(partition.value())).text(subscription).text(store));
    }

    /** Fails if another store has taken the partition over; delays takeovers until the transaction ends. */
    void requireOwn(Statements transaction, PartitionToken partition) throws SQLException {
        List<String> owner = transaction.rows(
                OWNER, p -> p.text(Hashes.of(partition.value())).text(subscription), row -> row.getString(1));
        if (!owner.isEmpty() && !owner.getFirst().equals(store)) {
            throw new DeadLetterException(
                    "partition %s of subscription '%s' was taken over by another worker; nothing was stored, and that worker gets the change again"
                            .formatted(partition.abbreviated(), subscription));
        }
    }

    void prune(Statements transaction) throws SQLException {
        transaction.update(PRUNE, p -> p.text(subscription));
    }
}

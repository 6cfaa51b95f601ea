package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.consume.RecordKey;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** The parked keys of one subscription. A transaction that changes them holds their state locks. */
record ParkedKeyTable(String subscription) {
    private static final String PARK = """
            INSERT INTO @dead_letter_parked_keys (key_hash, subscription, table_name, key, parked_at)
            SELECT k.key_hash, ?, k.table_name, k.key, clock_timestamp()
            FROM unnest(?::text[], ?::text[], ?::text[]) AS k(key_hash, table_name, key)
            ON CONFLICT DO NOTHING""";

    private static final String IS_PARKED =
            "SELECT EXISTS (SELECT FROM @dead_letter_parked_keys WHERE key_hash = ANY (?) AND subscription = ?)";

    private static final String RELEASE =
            "DELETE FROM @dead_letter_parked_keys WHERE key_hash = ANY (?) AND subscription = ?";

    private static final String RELEASE_FREE = """
            DELETE FROM @dead_letter_parked_keys parked
            WHERE key_hash = ANY (?) AND subscription = ? AND NOT EXISTS (
                SELECT FROM @dead_letter_keys k
                WHERE k.key_hash = parked.key_hash AND k.subscription = parked.subscription AND NOT k.failed)
            RETURNING table_name, key""";

    private static final String ALL = "SELECT table_name, key FROM @dead_letter_parked_keys WHERE subscription = ?";

    void park(Statements transaction, List<StoredKey> keys) throws SQLException {
        transaction.update(
                PARK,
                p -> p.text(subscription)
                        .texts(StoredKey.hashes(keys))
                        .texts(keys, StoredKey::tableName)
                        .texts(keys, StoredKey::text));
    }

    boolean isParked(Statements transaction, List<StoredKey> keys) throws SQLException {
        return transaction.row(
                IS_PARKED, p -> p.texts(StoredKey.hashes(keys)).text(subscription), row -> row.getBoolean(1));
    }

    void release(Statements transaction, List<StoredKey> keys) throws SQLException {
        transaction.update(RELEASE, p -> p.texts(StoredKey.hashes(keys)).text(subscription));
    }

    /** Releases those of the keys that no open letter parks, and returns those that were parked. */
    Set<RecordKey> releaseFree(Statements transaction, List<StoredKey> keys) throws SQLException {
        return Set.copyOf(transaction.rows(
                RELEASE_FREE, p -> p.texts(StoredKey.hashes(keys)).text(subscription), StoredKey::read));
    }

    Set<RecordKey> all(Statements transaction) throws SQLException {
        return Set.copyOf(transaction.rows(ALL, p -> p.text(subscription), StoredKey::read));
    }
}

package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.JsonObject;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * A key as stored in rows.
 *
 * @param hash the same in every process for equal keys
 * @param tableName the table
 * @param text the primary key as JSON, its members in the order of their names
 */
record StoredKey(String hash, String tableName, String text) {

    static StoredKey of(RecordKey key) {
        String text = key.canonicalKey();
        return new StoredKey(Hashes.of(key.tableName(), text), key.tableName(), text);
    }

    static List<StoredKey> of(Collection<RecordKey> keys) {
        return keys.stream().map(StoredKey::of).toList();
    }

    static RecordKey read(ResultSet row) throws SQLException {
        return new RecordKey(row.getString("table_name"), JsonObject.of(row.getString("key")));
    }

    static List<String> hashes(Collection<StoredKey> keys) {
        return keys.stream().map(StoredKey::hash).toList();
    }
}

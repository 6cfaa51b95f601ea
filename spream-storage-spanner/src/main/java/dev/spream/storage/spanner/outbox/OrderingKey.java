package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Struct;

/** A destination and an ordering key; the entries of both are sent in order. */
record OrderingKey(String destination, String key) {

    /** Reads a row of an index of unsettled entries. */
    static OrderingKey of(Struct row) {
        return new OrderingKey(row.getString("Destination"), row.getString("OpenOrderingKey"));
    }

    /** Returns the beginning of the keys in the index by ordering key: of those that wait, or are being sent. */
    Key prefix(boolean waiting) {
        return Key.of(key, destination, waiting);
    }

    Key at(boolean waiting, long id) {
        return Key.of(key, destination, waiting, id);
    }
}

package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ResultSet;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.UndecodableChange;
import java.util.List;
import java.util.Optional;

/** The request of a {@link SpannerChangeStreamCursor} and the records that its rows become. Confined to the reader. */
public interface Reading {

    /**
     * Waits for a place among concurrent requests, for a heartbeat interval at most.
     *
     * @return a record to return meanwhile; empty if the request may be sent
     */
    default Optional<ChangeRecord> await() throws InterruptedException {
        return Optional.empty();
    }

    /** Returns whether rows are read from {@link dev.spream.storage.spanner.client.EncodedValues}. */
    default boolean readsEncoded() {
        return false;
    }

    /** Sends the request; called once. */
    ResultSet open();

    /** Returns the records of the current row. */
    List<ChangeRecord> row(ResultSet row);

    /** Returns the change in the current row, which could not be decoded; empty if the row may have other content. */
    default Optional<UndecodableChange> undecodable(ResultSet row) {
        return Optional.empty();
    }

    /** Returns the records after the last row; called once. */
    default List<ChangeRecord> end() {
        return List.of();
    }

    /** Frees the place among concurrent requests. Called again, it does nothing. */
    default void close() {}
}

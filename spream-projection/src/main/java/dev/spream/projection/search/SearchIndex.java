package dev.spream.projection.search;

import java.time.Duration;
import java.util.List;

/**
 * An index of documents. Safe for use by many threads. Failures are {@link SearchException}s.
 *
 * <p>A deletion leaves a tombstone with its version, so that an older change which arrives late does not restore the
 * document; {@link #optimize} removes old ones.
 *
 * <p>An index that is missing, or was replaced since it was opened, is not written: this is a fatal failure until
 * {@link #expect} has found the expected one.
 */
public interface SearchIndex extends AutoCloseable {

    /**
     * Makes changes, in their order. When this returns, they are durable in the index and found by searches that begin
     * afterwards, or were ignored since the index has newer ones. If it fails, some of them may have been made; all of
     * them may be made again.
     *
     * @param changes each document once
     */
    void write(List<SearchChange> changes);

    /** Returns the id of the index; it changes when the index is created again or emptied. */
    String id();

    /**
     * Checks whether the index with that id exists now, such as one that was restored, or that another process has
     * emptied. If so, it is the one that is written from now on.
     *
     * @return false if another index is there, or none; the caller must not write to it then. An empty index that was
     *     created by opening may be removed again, so that the expected one can be restored
     */
    boolean expect(String id);

    /**
     * Empties the index: documents and tombstones are removed, and the id changes.
     *
     * @return its new id
     */
    String clear();

    /** Returns the documents that match, best first. */
    SearchResult search(SearchQuery query);

    /** Returns the number of documents, without tombstones; 0 after emptying the index failed halfway. */
    long size();

    /**
     * Compacts the index and removes tombstones. May take long, and may run during writes and searches. Does nothing to
     * an index that was dropped.
     *
     * @param tombstones the age from which tombstones are removed; a change that arrives later than that can restore
     *     its document
     */
    void optimize(Duration tombstones);

    /** Closes the index. Closing again is harmless. */
    @Override
    void close();
}

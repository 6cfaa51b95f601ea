package dev.spream.projection.search;

import java.time.Duration;
import java.util.List;

/**
 * An index of documents. Safe for use by many threads. Failures are {@link SearchException}s.
 *
 * <p>A deletion leaves a tombstone with its version, so that an older change which comes late does not bring the document back;
 * {@link #optimize} takes old ones away.
 *
 * <p>An index that is gone, or another one than was opened, is not written: that is fatal until {@link #expect} has found the one
 * that is to be written.
 */
public interface SearchIndex extends AutoCloseable {

    /**
     * Makes changes, in their order. When this returns, they are durable in the index and found by searches that begin
     * afterwards, or were passed over since the index has something newer. If it fails, some of them may have been made; all of
     * them may be made again.
     *
     * @param changes each document once
     */
    void write(List<SearchChange> changes);

    /** The id of the index; it changes when the index is created again or emptied. */
    String id();

    /**
     * Looks whether the index with that id is there now, such as one that was brought back, or that another process has emptied.
     * If it is, it is the one that is written from now on.
     *
     * @return false if there is another one, or none. It must not be written by the writer of the expected one; an empty index
     *     that opening created may be removed again, so that the expected one can be restored
     */
    boolean expect(String id);

    /**
     * Empties it: documents and tombstones are gone, and it has another id.
     *
     * @return the id that it has now
     */
    String clear();

    /** Documents that match, best first. */
    SearchResult search(SearchQuery query);

    /** Returns the number of documents, without tombstones; 0 after emptying the index failed halfway. */
    long size();

    /**
     * Makes the index small and quick: what deletions left behind goes. May take long, and may be done while it is written and
     * searched. Does nothing to an index that was dropped.
     *
     * @param tombstones those older than this go; a change that comes later than that can bring its document back
     */
    void optimize(Duration tombstones);

    /** Closing again is harmless. */
    @Override
    void close();
}

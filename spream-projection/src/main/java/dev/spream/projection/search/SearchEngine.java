package dev.spream.projection.search;

import java.util.Set;

/** A search engine: a set of search indexes by name. Safe for use by many threads. Failures are {@link SearchException}s. */
public interface SearchEngine extends AutoCloseable {

    /**
     * Opens an index, which is created empty if it is not there, and is given the schema if it has another. The same index may be
     * open several times; each is closed for itself.
     *
     * @param name 1 to 120 letters, digits, hyphens and underscores
     */
    SearchIndex open(String name, SearchSchema schema);

    /** The names of all indexes. */
    Set<String> indexes();

    /** Removes an index with all that is in it. False if there is none. Searches that are running may fail. */
    boolean drop(String name);

    /** Closes what this opened, indexes included. Closing again is harmless. */
    @Override
    void close();
}

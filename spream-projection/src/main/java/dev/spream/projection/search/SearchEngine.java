package dev.spream.projection.search;

import java.util.Set;

/** A search engine: a set of search indexes by name. Safe for use by many threads. Failures are {@link SearchException}s. */
public interface SearchEngine extends AutoCloseable {

    /**
     * Opens an index, which is created empty if absent; an index with another schema gets this one. The same index may
     * be open several times; each is closed separately.
     *
     * @param name 1 to 120 letters, digits, hyphens and underscores
     */
    SearchIndex open(String name, SearchSchema schema);

    /** Returns the names of all indexes. */
    Set<String> indexes();

    /** Removes an index with its contents. Returns false if there is none. Running searches may fail. */
    boolean drop(String name);

    /** Closes what this opened, indexes included. Closing again is harmless. */
    @Override
    void close();
}

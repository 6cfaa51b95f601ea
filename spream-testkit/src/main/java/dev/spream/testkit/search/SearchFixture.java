package dev.spream.testkit.search;

import dev.spream.projection.search.SearchEngine;

/** A search engine without indexes, created for one test and closed after it. Up to ten threads use it at a time. */
public interface SearchFixture extends AutoCloseable {

    /** Returns the engine; the same instance each time, until it is opened again. */
    SearchEngine engine();

    /** Closes the engine and opens it again over its stored data, as the next process would. */
    SearchEngine reopened();

    /** Closes everything and deletes all stored data. */
    @Override
    void close();
}

package dev.spream.testkit.search;

import dev.spream.projection.search.SearchEngine;

/** A search engine without indexes, made for one test and closed after it. Up to ten threads use it at a time. */
public interface SearchFixture extends AutoCloseable {

    /** The engine; the same instance each time, until it is opened again. */
    SearchEngine engine();

    /** Closes the engine and opens it again over what it left, as the next process would. */
    SearchEngine reopened();

    /** Closes everything and removes what it left. */
    @Override
    void close();
}

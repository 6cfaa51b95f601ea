package dev.spream.testkit.search;

import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.testkit.event.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** The base of the contract of search engines: each test has a fixture of its own with an empty index. */
@Timeout(60)
public abstract class SearchSuite implements SearchStage {
    private SearchFixture fixture;
    private SearchIndex index;
    private Threads threads;

    /** Returns a fixture over an engine without indexes. */
    protected abstract SearchFixture createFixture() throws Exception;

    @BeforeEach
    final void openFixture() throws Exception {
        fixture = createFixture();
        index = fixture.engine().open(NAME, SCHEMA);
        threads = new Threads();
    }

    @AfterEach
    final void closeFixture() {
        threads.close();
        fixture.close();
    }

    @Override
    public final SearchIndex index() {
        return index;
    }

    @Override
    public final SearchEngine engine() {
        return fixture.engine();
    }

    @Override
    public final SearchIndex reopened() {
        index = fixture.reopened().open(NAME, SCHEMA);
        return index;
    }

    @Override
    public final Threads threads() {
        return threads;
    }
}

package dev.spream.search.lucene;

import dev.spream.testkit.search.SearchFixture;
import dev.spream.testkit.search.SearchIndexContract;
import java.io.IOException;

/** The contract over Lucene. */
final class LuceneSearchIndexTest extends SearchIndexContract {
    @Override
    protected SearchFixture createFixture() throws IOException {
        return new LuceneFixture(engine -> engine);
    }
}

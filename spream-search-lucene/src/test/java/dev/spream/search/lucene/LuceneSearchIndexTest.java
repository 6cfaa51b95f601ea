package dev.spream.search.lucene;

import dev.spream.projection.search.SearchFixture;
import dev.spream.projection.search.SearchIndexContract;
import java.io.IOException;

/** The contract over Lucene. */
final class LuceneSearchIndexTest extends SearchIndexContract {
    @Override
    protected SearchFixture createFixture() throws IOException {
        return new LuceneFixture(engine -> engine);
    }
}

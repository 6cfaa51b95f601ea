package dev.spream.search.lucene;

import dev.spream.core.search.SearchFixture;
import dev.spream.core.search.SearchIndexContract;
import java.io.IOException;

/** The contract over Lucene. */
final class LuceneSearchIndexTest extends SearchIndexContract {
    @Override
    protected SearchFixture createFixture() throws IOException {
        return new LuceneFixture(engine -> engine);
    }
}

package dev.spream.search.meilisearch;

import dev.spream.core.search.SearchFixture;
import dev.spream.core.search.SearchIndexContract;
import java.io.IOException;

/** The contract over the double. */
final class MeilisearchIndexTest extends SearchIndexContract {
    @Override
    protected SearchFixture createFixture() throws IOException {
        return new MeilisearchFixture();
    }
}

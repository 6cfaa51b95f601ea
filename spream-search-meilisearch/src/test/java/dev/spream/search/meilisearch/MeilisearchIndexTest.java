package dev.spream.search.meilisearch;

import dev.spream.testkit.search.SearchFixture;
import dev.spream.testkit.search.SearchIndexContract;
import java.io.IOException;

/** The contract over the double. */
final class MeilisearchIndexTest extends SearchIndexContract {
    @Override
    protected SearchFixture createFixture() throws IOException {
        return new MeilisearchFixture();
    }
}

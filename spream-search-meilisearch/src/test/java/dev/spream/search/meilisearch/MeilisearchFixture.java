package dev.spream.search.meilisearch;

import dev.spream.projection.search.SearchEngine;
import dev.spream.servers.MeilisearchDouble;
import dev.spream.testkit.search.SearchFixture;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** An engine over a double of its own. */
final class MeilisearchFixture implements SearchFixture {
    private static final Duration TASK_TIME = Duration.ofMillis(5); // otherwise searches miss earlier writes

    private final MeilisearchDouble server;
    private SearchEngine engine;

    MeilisearchFixture() throws IOException {
        server = MeilisearchDouble.start();
        server.taskTime(TASK_TIME);
        engine = opened();
    }

    private SearchEngine opened() {
        return MeilisearchSearchEngine.of(server.url(), Optional.empty(), Duration.ofSeconds(30));
    }

    @Override
    public SearchEngine engine() {
        return engine;
    }

    @Override
    public SearchEngine reopened() {
        engine.close();
        engine = opened();
        return engine;
    }

    @Override
    public void close() {
        engine.close();
        server.close();
    }
}

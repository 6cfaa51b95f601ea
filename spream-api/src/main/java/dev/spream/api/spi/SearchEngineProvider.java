package dev.spream.api.spi;

import dev.spream.projection.search.SearchEngine;
import java.util.Map;

/** Creates the {@link SearchEngine} named by the configuration key {@code search}. */
public interface SearchEngineProvider extends PluginProvider<SearchEngine> {
    /** The port {@code search}. */
    Port<SearchEngine> PORT = Port.besideSubscriptions(
            "search",
            "Search engine",
            SearchEngine.class,
            SearchEngineProvider.class,
            "the search engine, such as lucene or meilisearch",
            Map.of("lucene", "spream-search-lucene", "meilisearch", "spream-search-meilisearch"));
}

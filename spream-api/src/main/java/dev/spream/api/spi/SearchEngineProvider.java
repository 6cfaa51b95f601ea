package dev.spream.api.spi;

import dev.spream.projection.search.SearchEngine;
import java.util.Map;

/** Makes a {@link SearchEngine}, as {@code search} in the configuration names it. */
public interface SearchEngineProvider extends PluginProvider<SearchEngine> {
    /** The port {@code search}. */
    Port<SearchEngine> PORT = Port.besideSubscriptions(
            "search",
            "Where search indexes are",
            SearchEngine.class,
            SearchEngineProvider.class,
            "where indexes are, such as lucene or meilisearch",
            Map.of("lucene", "spream-search-lucene", "meilisearch", "spream-search-meilisearch"));
}

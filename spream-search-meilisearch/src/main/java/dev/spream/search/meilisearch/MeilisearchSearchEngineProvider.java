package dev.spream.search.meilisearch;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.SearchEngineProvider;
import dev.spream.projection.search.SearchEngine;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** The search engine {@code meilisearch}: indexes in a Meilisearch server of version 1.14 or newer. */
@AutoService(SearchEngineProvider.class)
public final class MeilisearchSearchEngineProvider implements SearchEngineProvider {
    private static final ConfigKey<URI> URL = ConfigKey.of(
                    "url", ConfigType.url("http", "https"), "URL of the server, such as http://meilisearch:7700.")
            .required();
    private static final ConfigKey<String> API_KEY = ConfigKey.of(
                    "api-key",
                    ConfigType.text(),
                    "API key with permission to read and write documents and to create and delete indexes.")
            .secret();
    private static final ConfigKey<Duration> TASK_TIMEOUT = ConfigKey.of(
                    "task-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofHours(1)),
                    "Time limit for the server to complete a task; after it, the batch counts as failed and is sent again.")
            .withDefault(MeilisearchSearchEngine.TASK_TIMEOUT);

    @Override
    public String name() {
        return "meilisearch";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(URL, API_KEY, TASK_TIMEOUT);
    }

    @Override
    public SearchEngine create(PluginConfig config, PluginContext context) {
        return new MeilisearchSearchEngine(
                new MeilisearchClient(config.get(URL), config.find(API_KEY), config.get(TASK_TIMEOUT)),
                context.clock());
    }
}

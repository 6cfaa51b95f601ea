package dev.spream.search.lucene;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.SearchEngineProvider;
import dev.spream.projection.search.SearchEngine;
import java.nio.file.Path;
import java.util.List;

/** The search engine {@code lucene}: indexes in local folders, each used by one process at a time. */
@AutoService(SearchEngineProvider.class)
public final class LuceneSearchEngineProvider implements SearchEngineProvider {
    private static final ConfigKey<Path> DIRECTORY = ConfigKey.of(
                    "directory",
                    ConfigType.path(),
                    "Folder of the indexes, each in a subfolder. Created if absent; must be on a local disk.")
            .required();

    @Override
    public String name() {
        return "lucene";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(DIRECTORY);
    }

    @Override
    public SearchEngine create(PluginConfig config, PluginContext context) {
        return LuceneSearchEngine.open(config.get(DIRECTORY), context.clock());
    }
}

package dev.spream.api.spi;

import dev.spream.projection.search.SearchEngine;

/** Makes a {@link SearchEngine}, as {@code search} in the configuration names it. */
public non-sealed interface SearchEngineProvider extends PluginProvider<SearchEngine> {}

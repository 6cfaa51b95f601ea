/**
 * Search indexes in a Meilisearch server, over HTTP. {@link dev.spream.search.meilisearch.MeilisearchSearchEngine} is the one to
 * read first; configuration makes it by the name {@code meilisearch}.
 *
 * <p>Uses the ports of spream-projection, the SPI of spream-api, and nothing but the JDK.
 */
@NullMarked
package dev.spream.search.meilisearch;

import org.jspecify.annotations.NullMarked;

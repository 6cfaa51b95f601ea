/**
 * Search indexes in a Meilisearch server, over HTTP. Read {@link dev.spream.search.meilisearch.MeilisearchSearchEngine}
 * first; in the configuration its name is {@code meilisearch}.
 *
 * <p>Uses the ports of spream-projection, the SPI of spream-api, and the JDK alone.
 */
@NullMarked
package dev.spream.search.meilisearch;

import org.jspecify.annotations.NullMarked;

/** Tests of search indexes in Meilisearch, against a double of its server. */
@NullMarked
package dev.spream.search.meilisearch;

import org.jspecify.annotations.NullMarked;

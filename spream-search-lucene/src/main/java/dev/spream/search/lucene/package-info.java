/**
 * Search indexes of Apache Lucene in this process, each in a folder of its own. {@link
 * dev.spream.search.lucene.LuceneSearchEngine} is the one to read first; configuration makes it by the name {@code lucene}.
 *
 * <p>Uses the ports of spream-projection, the SPI of spream-api, and Lucene.
 */
@NullMarked
package dev.spream.search.lucene;

import org.jspecify.annotations.NullMarked;

/**
 * Search indexes of Apache Lucene in this process, each in a folder of its own. Read {@link
 * dev.spream.search.lucene.LuceneSearchEngine} first; in the configuration its name is {@code lucene}.
 *
 * <p>Uses the ports of spream-projection, the SPI of spream-api, and Lucene.
 */
@NullMarked
package dev.spream.search.lucene;

import org.jspecify.annotations.NullMarked;

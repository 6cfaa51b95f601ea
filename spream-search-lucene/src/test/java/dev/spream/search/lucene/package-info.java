/** Tests of the search indexes of Lucene. */
@NullMarked
package dev.spream.search.lucene;

import org.jspecify.annotations.NullMarked;

/**
 * The contract of search indexes: {@link dev.spream.testkit.search.SearchIndexContract}.
 */
@NullMarked
package dev.spream.testkit.search;

import org.jspecify.annotations.NullMarked;

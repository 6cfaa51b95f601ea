/** Tests of search projections, and the contract that search engines keep. */
@NullMarked
package dev.spream.projection.search;

import org.jspecify.annotations.NullMarked;

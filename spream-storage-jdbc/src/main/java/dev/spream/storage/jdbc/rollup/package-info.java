/**
 * Tables of totals by keys that aggregates share, such as a customer and a day, declared column by column: start with
 * {@link dev.spream.storage.jdbc.rollup.Rollup}. Depends on projections, and not on the store of their states.
 */
@NullMarked
package dev.spream.storage.jdbc.rollup;

import org.jspecify.annotations.NullMarked;

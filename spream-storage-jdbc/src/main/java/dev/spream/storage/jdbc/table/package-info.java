/**
 * Read models that are one table, declared column by column: start with {@link
 * dev.spream.storage.jdbc.table.TableProjection}. Depends on projections, and not on the store of their states.
 */
@NullMarked
package dev.spream.storage.jdbc.table;

import org.jspecify.annotations.NullMarked;

/**
 * The embedded SQL engine: its connections and their transactions, the locks of keys, the rows that a statement changed,
 * tables that are computed, and its errors as Spanner's. Read {@link dev.spream.emulator.internal.engine.Engine} first.
 * Knows no tables of a database.
 */
@NullMarked
package dev.spream.emulator.internal.engine;

import org.jspecify.annotations.NullMarked;

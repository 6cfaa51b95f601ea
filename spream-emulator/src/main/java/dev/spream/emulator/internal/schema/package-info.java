/**
 * Tables and row changes: the values that the database of the emulator passes to its change streams, in Spanner's wire
 * encoding, and the history of its commits. Depends on Spanner's protos only.
 */
@NullMarked
package dev.spream.emulator.internal.schema;

import org.jspecify.annotations.NullMarked;

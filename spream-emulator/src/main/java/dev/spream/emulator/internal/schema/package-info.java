/**
 * What the database side and the change stream side of the emulator tell each other: tables, and the rows that a
 * transaction changed. Values are in Spanner's wire encoding. Depends on Spanner's protos only.
 */
@NullMarked
package dev.spream.emulator.internal.schema;

import org.jspecify.annotations.NullMarked;

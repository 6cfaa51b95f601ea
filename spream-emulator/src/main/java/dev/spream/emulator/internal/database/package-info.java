/**
 * One database of the emulator: its schema, its rows in an embedded engine, its transactions, and the hand-over of
 * every commit to the change streams. Read {@link dev.spream.emulator.internal.database.EmulatedDatabase} first.
 * Read-write transactions run side by side; a commit is refused if something that it has read was changed meanwhile,
 * which makes every outcome serialisable. Depends on Spanner's messages, not on its gRPC services.
 */
@NullMarked
package dev.spream.emulator.internal.database;

import org.jspecify.annotations.NullMarked;

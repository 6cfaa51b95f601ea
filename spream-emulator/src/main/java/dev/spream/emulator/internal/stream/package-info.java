/**
 * The change streams of the emulator: the declarations of {@code CREATE CHANGE STREAM}, the partitions that contain a
 * stream's records, and the queries that read them. Read {@link dev.spream.emulator.internal.stream.ChangeStreams}
 * first: the database calls it. {@link dev.spream.emulator.internal.stream.CommitClock} orders commits and changes of
 * partitions. Does not depend on SQL other than its own statements, nor on gRPC services.
 */
@NullMarked
package dev.spream.emulator.internal.stream;

import org.jspecify.annotations.NullMarked;

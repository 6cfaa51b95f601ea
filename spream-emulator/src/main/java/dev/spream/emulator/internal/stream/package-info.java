/**
 * The change stream half of the emulator: what {@code CREATE CHANGE STREAM} declares, the partitions that carry a
 * stream's records, and the queries that read them. Read {@link dev.spream.emulator.internal.stream.ChangeStreams}
 * first: it is what the database half calls. Commits and changes of partitions are put in order by
 * {@link dev.spream.emulator.internal.stream.CommitClock}. Knows neither SQL beyond its own statements nor gRPC
 * services.
 */
@NullMarked
package dev.spream.emulator.internal.stream;

import org.jspecify.annotations.NullMarked;

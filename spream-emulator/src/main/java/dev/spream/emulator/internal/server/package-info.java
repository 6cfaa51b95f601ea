/**
 * The gRPC services of the emulator: Spanner itself, the admin services for instances and databases, and long-running
 * operations. They translate requests into calls of {@link dev.spream.emulator.internal.database.EmulatedDatabase} and
 * results into responses; each call runs on a thread of its own and may block. Read {@link
 * dev.spream.emulator.internal.server.SpannerService} first.
 */
@NullMarked
package dev.spream.emulator.internal.server;

import org.jspecify.annotations.NullMarked;

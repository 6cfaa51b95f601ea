/**
 * Tests of the change stream half of the emulator without gRPC. {@link
 * dev.spream.emulator.internal.stream.StreamRig} sets up a database's streams, commits to them and reads them.
 */
@NullMarked
package dev.spream.emulator.internal.stream;

import org.jspecify.annotations.NullMarked;

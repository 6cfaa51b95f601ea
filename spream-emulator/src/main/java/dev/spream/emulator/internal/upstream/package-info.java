/**
 * The databases of another Spanner server, Google's emulator, whose change streams are served here: what its streams
 * return is read, and cut anew into partitions. Read {@link
 * dev.spream.emulator.internal.upstream.FollowedDatabase} first.
 */
@NullMarked
package dev.spream.emulator.internal.upstream;

import org.jspecify.annotations.NullMarked;

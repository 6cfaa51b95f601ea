/**
 * The emulator through its gRPC services, with the real Spanner client.
 */
@NullMarked
package dev.spream.emulator;

import org.jspecify.annotations.NullMarked;

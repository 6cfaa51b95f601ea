/** Tests of a database of the emulator without gRPC. */
@NullMarked
package dev.spream.emulator.internal.database;

import org.jspecify.annotations.NullMarked;

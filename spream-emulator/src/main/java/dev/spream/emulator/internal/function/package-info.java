/**
 * The functions of Spanner that the embedded engine calls, and what they know of the statement that runs. Start at {@link
 * dev.spream.emulator.internal.function.EngineFunctions}. Which function calls them is decided in {@code internal.sql}.
 */
@NullMarked
package dev.spream.emulator.internal.function;

import org.jspecify.annotations.NullMarked;

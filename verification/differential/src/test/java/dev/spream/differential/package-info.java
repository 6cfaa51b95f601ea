/**
 * Our emulator against Google's: one workload is written to both, and what their change streams say of it is compared.
 * Start at {@link dev.spream.differential.EmulatorDifferentialIT}; {@link
 * dev.spream.differential.Quirk} lists where Google's emulator is known to differ. {@link
 * dev.spream.differential.OverGoogleIT} runs ours over Google's. Nothing here knows the
 * inside of our emulator: both are reached through Google's client and the adapter of change streams.
 */
@NullMarked
package dev.spream.differential;

import org.jspecify.annotations.NullMarked;

/**
 * The servers that integration tests run on: {@link dev.spream.emulator.SpannerServers} starts them, {@link
 * dev.spream.emulator.GoogleEmulator} finds Google's emulator on the machine. Published as this module's test-jar.
 */
@NullMarked
package dev.spream.emulator;

import org.jspecify.annotations.NullMarked;

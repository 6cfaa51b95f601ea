/** Tests of the emulator from outside, with the real client. */
@NullMarked
package dev.spream.emulator;

import org.jspecify.annotations.NullMarked;

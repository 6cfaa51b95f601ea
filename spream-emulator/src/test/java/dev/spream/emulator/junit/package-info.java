/** Tests of the extension for JUnit. */
@NullMarked
package dev.spream.emulator.junit;

import org.jspecify.annotations.NullMarked;

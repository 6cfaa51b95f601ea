/** Tests of the history of commits. */
@NullMarked
package dev.spream.emulator.internal.schema;

import org.jspecify.annotations.NullMarked;

/** Tests of what is read from the other server. */
@NullMarked
package dev.spream.emulator.internal.upstream;

import org.jspecify.annotations.NullMarked;

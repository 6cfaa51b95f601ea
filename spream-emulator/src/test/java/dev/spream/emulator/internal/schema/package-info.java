/** Tests of the schema's values and of the commits that are kept. */
@NullMarked
package dev.spream.emulator.internal.schema;

import org.jspecify.annotations.NullMarked;

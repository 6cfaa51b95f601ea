/** Tests of the SQL dialects. */
@NullMarked
package dev.spream.emulator.internal.sql;

import org.jspecify.annotations.NullMarked;

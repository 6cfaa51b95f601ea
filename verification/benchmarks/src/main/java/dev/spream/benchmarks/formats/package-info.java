/** The cost of writing changed rows in each format. Begin with {@link dev.spream.benchmarks.formats.FormatCost}. */
@NullMarked
package dev.spream.benchmarks.formats;

import org.jspecify.annotations.NullMarked;

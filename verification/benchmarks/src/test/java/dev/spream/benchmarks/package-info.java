/** The rules of the benchmarks. */
@NullMarked
package dev.spream.benchmarks;

import org.jspecify.annotations.NullMarked;

/**
 * The tools of the benchmarks: programs in a JVM of their own, servers, sources without a server, and how figures are
 * compared and printed. Depends on no measurement. Read {@link
 * dev.spream.benchmarks.harness.Comparison} first.
 */
@NullMarked
package dev.spream.benchmarks.harness;

import org.jspecify.annotations.NullMarked;

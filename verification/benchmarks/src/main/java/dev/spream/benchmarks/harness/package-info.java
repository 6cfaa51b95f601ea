/**
 * The tools of the benchmarks: programs in a JVM of their own, servers, sources without a server, and the comparison
 * and output of results. Does not depend on the benchmarks. Read {@link dev.spream.benchmarks.harness.Comparison}
 * first.
 */
@NullMarked
package dev.spream.benchmarks.harness;

import org.jspecify.annotations.NullMarked;

/**
 * Benchmarks of spream, each compared with a stated limit or an alternative in the same run. Read {@link
 * dev.spream.benchmarks.Benchmark} first: it lists them. Each runs in a JVM of its own, and its server in another one.
 * Nothing here is published or run as a test: a result depends on the machine and its other load.
 */
@NullMarked
package dev.spream.benchmarks;

import org.jspecify.annotations.NullMarked;

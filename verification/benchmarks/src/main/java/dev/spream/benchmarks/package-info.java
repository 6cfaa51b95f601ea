/**
 * Measurements of spream, each beside a named limit or a peer in the same run. Read {@link
 * dev.spream.benchmarks.Benchmark} first: it names them. Each runs in a JVM of its own, and what serves it, in another
 * one. Nothing here is published, and nothing here is a test: a figure depends on the machine and on what else it does.
 */
@NullMarked
package dev.spream.benchmarks;

import org.jspecify.annotations.NullMarked;

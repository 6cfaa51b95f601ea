/**
 * Spream's subscriber beside other readers of the same change stream, each in a JVM of its own. Read {@link
 * dev.spream.benchmarks.readers.Readers} first. The programs of Apache Beam and Debezium are in modules of their own,
 * with the libraries that these releases were built with.
 */
@NullMarked
package dev.spream.benchmarks.readers;

import org.jspecify.annotations.NullMarked;

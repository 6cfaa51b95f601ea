/** A job of Apache Flink over a change stream: {@link dev.spream.examples.flink.HighestBalances}. */
@NullMarked
package dev.spream.examples.flink;

import org.jspecify.annotations.NullMarked;

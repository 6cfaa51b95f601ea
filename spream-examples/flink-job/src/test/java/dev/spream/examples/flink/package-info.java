/** The job, run as the image runs it. */
@NullMarked
package dev.spream.examples.flink;

import org.jspecify.annotations.NullMarked;

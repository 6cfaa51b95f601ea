/**
 * {@code partitions}, {@code verify}, {@code cleanup} and {@code export}: commands that show or change stored
 * partitions.
 */
@NullMarked
package dev.spream.cli.partition;

import org.jspecify.annotations.NullMarked;

/**
 * {@code partitions}, {@code verify}, {@code cleanup} and {@code export}: commands that look at the partitions that readers
 * stored, or change them.
 */
@NullMarked
package dev.spream.cli.partition;

import org.jspecify.annotations.NullMarked;

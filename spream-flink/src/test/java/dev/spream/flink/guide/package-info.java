/** The programs of the guide. */
@NullMarked
package dev.spream.flink.guide;

import org.jspecify.annotations.NullMarked;

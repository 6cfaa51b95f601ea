/** Tests of metrics. */
@NullMarked
package dev.spream.api.metrics;

import org.jspecify.annotations.NullMarked;

/** Tests of tracing. */
@NullMarked
package dev.spream.api.tracing;

import org.jspecify.annotations.NullMarked;

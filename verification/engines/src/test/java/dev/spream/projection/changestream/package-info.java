/**
 * Events that come from a change stream, over a stream that is told what it holds.
 */
@NullMarked
package dev.spream.projection.changestream;

import org.jspecify.annotations.NullMarked;

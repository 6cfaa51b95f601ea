/** Tests of events from a change stream, over a scripted one. */
@NullMarked
package dev.spream.projection.changestream;

import org.jspecify.annotations.NullMarked;

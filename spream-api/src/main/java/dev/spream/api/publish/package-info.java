/**
 * The order of the changes of a batch for sinks that publish several messages at the same time: {@link
 * dev.spream.api.publish.KeyLanes} says which message may be sent next, and what the outcome of each change is. It sends
 * nothing itself, and depends on the kernel alone.
 */
@NullMarked
package dev.spream.api.publish;

import org.jspecify.annotations.NullMarked;

/**
 * Where changes go: the ports that a user of spream implements. Read {@link dev.spream.core.consume.Consumer} first;
 * {@link dev.spream.core.consume.ErrorHandler} decides what happens to a change that it refused, and {@link
 * dev.spream.core.consume.DeadLetterSink} keeps what is set aside, from which {@link
 * dev.spream.core.consume.DeadLetterReplay} hands it back in order. Nothing here knows where changes come from.
 */
@NullMarked
package dev.spream.core.consume;

import org.jspecify.annotations.NullMarked;

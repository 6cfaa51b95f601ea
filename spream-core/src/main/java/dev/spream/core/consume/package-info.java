/**
 * The delivery of changes: the ports that a user of spream implements. Read {@link dev.spream.core.consume.Consumer}
 * first; {@link dev.spream.core.consume.ErrorHandler} decides what happens after it failed on a change, and {@link
 * dev.spream.core.consume.DeadLetterSink} stores dead letters, which {@link dev.spream.core.consume.DeadLetterReplay}
 * replays in order. This package does not depend on the source of the changes.
 */
@NullMarked
package dev.spream.core.consume;

import org.jspecify.annotations.NullMarked;

/**
 * The built-in event source: a change stream of a table of events. Other event sources are separate modules because of
 * their client libraries.
 */
@NullMarked
package dev.spream.api.event;

import org.jspecify.annotations.NullMarked;

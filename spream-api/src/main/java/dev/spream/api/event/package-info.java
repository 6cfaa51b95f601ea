/**
 * The event source that comes with spream itself: a change stream of a table of events. Others are in modules of their own,
 * because of the clients that they need.
 */
@NullMarked
package dev.spream.api.event;

import org.jspecify.annotations.NullMarked;

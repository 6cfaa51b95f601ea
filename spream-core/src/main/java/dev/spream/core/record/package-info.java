/**
 * The change records of a stream as immutable values, and their JSON. Read {@link
 * dev.spream.core.record.ChangeRecord} first. Nothing here knows how a record is transported or consumed.
 */
@NullMarked
package dev.spream.core.record;

import org.jspecify.annotations.NullMarked;

/**
 * The change records of a stream as immutable values, and their JSON. Read {@link
 * dev.spream.core.record.ChangeRecord} first. This package does not depend on how records are transported or consumed.
 */
@NullMarked
package dev.spream.core.record;

import org.jspecify.annotations.NullMarked;

/**
 * Tests of the change records: their JSON, in the shape of Spanner's documentation, and what is kept of what this version
 * does not know. The documentation's own examples are among them.
 */
@NullMarked
package dev.spream.core.record;

import org.jspecify.annotations.NullMarked;

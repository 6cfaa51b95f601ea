/** Tests of the event store in PostgreSQL. */
@NullMarked
package dev.spream.storage.jdbc.event;

import org.jspecify.annotations.NullMarked;

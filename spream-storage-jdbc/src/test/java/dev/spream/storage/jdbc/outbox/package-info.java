/** Tests of the outbox in PostgreSQL. */
@NullMarked
package dev.spream.storage.jdbc.outbox;

import org.jspecify.annotations.NullMarked;

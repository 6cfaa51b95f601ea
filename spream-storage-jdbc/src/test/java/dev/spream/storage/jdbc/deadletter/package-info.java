/** Tests of the dead letters in PostgreSQL, against servers that they start themselves. */
@NullMarked
package dev.spream.storage.jdbc.deadletter;

import org.jspecify.annotations.NullMarked;

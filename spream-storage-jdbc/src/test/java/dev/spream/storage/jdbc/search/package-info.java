/** Search indexes that follow events, with what is known of their progress in PostgreSQL. */
@NullMarked
package dev.spream.storage.jdbc.search;

import org.jspecify.annotations.NullMarked;

/** Search indexes that follow events, with what is known of their progress in PostgreSQL. */
@NullMarked
package dev.spream.examples.search;

import org.jspecify.annotations.NullMarked;

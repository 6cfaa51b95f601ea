/** Random rows of all types for tests of what writes them. Begin with {@link dev.spream.servers.rows.RandomRow}. */
@NullMarked
package dev.spream.servers.rows;

import org.jspecify.annotations.NullMarked;

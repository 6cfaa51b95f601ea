/** Tests of projections in PostgreSQL. */
@NullMarked
package dev.spream.storage.jdbc.projection;

import org.jspecify.annotations.NullMarked;

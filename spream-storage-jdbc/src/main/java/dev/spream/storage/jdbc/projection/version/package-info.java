/**
 * The versions of a projection in PostgreSQL: they are begun, prepared, compared, exchanged and dropped, and split into segments.
 * Start with {@link dev.spream.storage.jdbc.projection.version.VersionSwitch} for a cut-over, and with {@link
 * dev.spream.storage.jdbc.projection.version.VersionTable} for the rows. Not for users.
 */
@NullMarked
package dev.spream.storage.jdbc.projection.version;

import org.jspecify.annotations.NullMarked;

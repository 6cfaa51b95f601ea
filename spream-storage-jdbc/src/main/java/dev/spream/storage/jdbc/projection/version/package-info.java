/**
 * The versions of a projection in PostgreSQL: creation, preparation, comparison, exchange and drop, and the split into
 * segments. Start with {@link dev.spream.storage.jdbc.projection.version.VersionSwitch} for a cutover, and with {@link
 * dev.spream.storage.jdbc.projection.version.VersionTable} for the rows. Internal to this module.
 */
@NullMarked
package dev.spream.storage.jdbc.projection.version;

import org.jspecify.annotations.NullMarked;

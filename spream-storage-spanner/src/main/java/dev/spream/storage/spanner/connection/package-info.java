/**
 * The settings of a connection as users write them: credentials, endpoint, directed reads, and the configuration keys
 * that source and storage share. Used by the parent package alone. Internal.
 */
@NullMarked
package dev.spream.storage.spanner.connection;

import org.jspecify.annotations.NullMarked;

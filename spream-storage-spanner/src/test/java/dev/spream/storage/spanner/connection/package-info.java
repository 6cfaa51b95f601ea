/** Tests of the settings of a connection. */
@NullMarked
package dev.spream.storage.spanner.connection;

import org.jspecify.annotations.NullMarked;

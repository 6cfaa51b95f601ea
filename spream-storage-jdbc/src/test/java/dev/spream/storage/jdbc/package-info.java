/** Tests of the adapter, against PostgreSQL servers that they start themselves. */
@NullMarked
package dev.spream.storage.jdbc;

import org.jspecify.annotations.NullMarked;

/**
 * What formats with schemas share. {@link dev.spream.format.schema.SchemaRegistry} is the client of a registry. Knows the
 * records of the core, and the SPI.
 */
@NullMarked
package dev.spream.format.schema;

import org.jspecify.annotations.NullMarked;

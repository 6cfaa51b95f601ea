/**
 * The shared part of formats with schemas. {@link dev.spream.format.schema.SchemaRegistry} is the client of a registry, whose keys
 * {@link dev.spream.format.schema.RegistryKeys} has; {@link dev.spream.format.schema.RowForm} is what the schema of a
 * table's rows is made from, {@link dev.spream.format.schema.RowContents} has the values of such a row. Knows the records of
 * the core, and the SPI.
 */
@NullMarked
package dev.spream.format.schema;

import org.jspecify.annotations.NullMarked;

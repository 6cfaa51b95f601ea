/**
 * Apache Avro as a format of files and messages, a plug-in for every sink that sends bytes. {@link
 * dev.spream.format.avro.AvroFormatProvider} has its keys; {@link dev.spream.format.avro.RowSchema} makes the schema of a
 * row from the types of its columns, {@link dev.spream.format.avro.TemplateRecord} is the fixed schema of whole changes.
 * Knows the records of the core, and the SPI.
 */
@NullMarked
package dev.spream.format.avro;

import org.jspecify.annotations.NullMarked;

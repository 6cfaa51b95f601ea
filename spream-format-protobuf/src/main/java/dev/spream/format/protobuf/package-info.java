/**
 * Protobuf as a format of messages, a plug-in for every sink that sends bytes. {@link
 * dev.spream.format.protobuf.ProtobufFormatProvider} has its keys; {@link dev.spream.format.protobuf.RowMessage} makes the
 * message of a row from the types of its columns, {@link dev.spream.format.protobuf.DataChangeMessage} writes whole changes.
 * Knows the records of the core, and the SPI.
 */
@NullMarked
package dev.spream.format.protobuf;

import org.jspecify.annotations.NullMarked;

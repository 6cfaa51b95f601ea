package dev.spream.format.schema;

/** A type of schemas, by the name that registries have for it. */
public enum SchemaType {
    AVRO,
    PROTOBUF
}

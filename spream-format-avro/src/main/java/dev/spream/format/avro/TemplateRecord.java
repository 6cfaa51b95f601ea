package dev.spream.format.avro;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.ValueCaptureType;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.io.Encoder;

/**
 * A change with the schema of Google's Dataflow template from change streams to Cloud Storage, so that readers of its files
 * read these. The template's metadata about its own work are null. What the schema has no place for is left out: the
 * transaction tag, whether it is a system transaction, and the details of types.
 *
 * @param instance the id of the Spanner instance, if it is known
 * @param database the id of the database, if it is known
 * @see <a href="https://github.com/GoogleCloudPlatform/DataflowTemplates/blob/main/v2/googlecloud-to-googlecloud/src/main/resources/schema/avro/datachangerecord.avsc">datachangerecord.avsc</a>
 */
record TemplateRecord(Optional<String> instance, Optional<String> database) {
    private static final Pattern DATABASE =
            Pattern.compile("projects/[^/]+/instances/(?<instance>[^/]+)/databases/(?<database>[^/]+)");
    private static final int NULL_BRANCH = 0;
    private static final int VALUE_BRANCH = 1;
    private static final List<String> TYPE_CODES = List.of(
            "TYPE_CODE_UNSPECIFIED",
            "BOOL",
            "INT64",
            "FLOAT64",
            "TIMESTAMP",
            "DATE",
            "STRING",
            "BYTES",
            "ARRAY",
            "STRUCT",
            "NUMERIC",
            "JSON");
    private static final List<String> MOD_TYPES = List.of("INSERT", "UPDATE", "DELETE");
    private static final List<String> CAPTURE_TYPES = List.of("OLD_AND_NEW_VALUES", "NEW_ROW", "NEW_VALUES");

    static final WriterSchema SCHEMA = WriterSchema.of(schema());

    static TemplateRecord of(Optional<String> fullName) {
        Optional<Matcher> names = fullName.map(DATABASE::matcher).filter(Matcher::matches);
        return new TemplateRecord(names.map(name -> name.group("instance")), names.map(name -> name.group("database")));
    }

    private static Schema schema() {
        return SchemaBuilder.record("DataChangeRecord")
                .namespace("com.google.cloud.teleport.v2")
                .fields()
                .requiredString("partitionToken")
                .requiredLong("commitTimestamp")
                .requiredString("serverTransactionId")
                .requiredBoolean("isLastRecordInTransactionInPartition")
                .requiredString("recordSequence")
                .requiredString("tableName")
                .name("rowType")
                .type(Schema.createArray(columnType()))
                .noDefault()
                .name("mods")
                .type(Schema.createArray(mod()))
                .noDefault()
                .name("modType")
                .type()
                .enumeration("ModType")
                .symbols(MOD_TYPES.toArray(String[]::new))
                .noDefault()
                .name("valueCaptureType")
                .type()
                .enumeration("ValueCaptureType")
                .symbols(CAPTURE_TYPES.toArray(String[]::new))
                .noDefault()
                .requiredLong("numberOfRecordsInTransaction")
                .requiredLong("numberOfPartitionsInTransaction")
                .name("metadata")
                .type(FieldValues.nullable(metadata()))
                .withDefault(null)
                .optionalString("spannerDatabaseId")
                .optionalString("spannerInstanceId")
                .optionalString("outputMessageMetadata")
                .endRecord();
    }

    private static Schema columnType() {
        Schema typeCode = SchemaBuilder.enumeration("TypeCode")
                .namespace("com.google.cloud.teleport.v2")
                .symbols(TYPE_CODES.toArray(String[]::new));
        return SchemaBuilder.record("ColumnType")
                .namespace("com.google.cloud.teleport.v2")
                .fields()
                .requiredString("name")
                .name("Type")
                .type(typeCode)
                .noDefault()
                .name("arrayElementType")
                .type(FieldValues.nullable(typeCode))
                .withDefault(null)
                .requiredBoolean("isPrimaryKey")
                .requiredLong("ordinalPosition")
                .endRecord();
    }

    private static Schema mod() {
        return SchemaBuilder.record("Mod")
                .namespace("com.google.cloud.teleport.v2")
                .fields()
                .requiredString("keysJson")
                .optionalString("oldValuesJson")
                .optionalString("newValuesJson")
                .endRecord();
    }

    private static Schema metadata() {
        SchemaBuilder.FieldAssembler<Schema> fields = SchemaBuilder.record("ChangeStreamRecordMetadata")
                .namespace("com.google.cloud.teleport.v2")
                .fields()
                .requiredString("partitionToken");
        for (String time : List.of(
                "recordTimestamp",
                "partitionStartTimestamp",
                "partitionEndTimestamp",
                "partitionCreatedAt",
                "partitionScheduledAt",
                "partitionRunningAt",
                "queryStartedAt",
                "recordStreamStartedAt",
                "recordStreamEndedAt",
                "recordReadAt")) {
            fields = fields.requiredLong(time);
        }
        return fields.requiredLong("totalStreamTimeMillis")
                .requiredLong("numberOfRecordsRead")
                .endRecord();
    }

    /** @throws NonRetryableException if the kind of the change is unknown */
    byte[] bytes(DataChangeRecord change, Delivery delivery) {
        if (change.modType() == ModType.UNKNOWN) {
            throw new NonRetryableException("the change %s is of the unknown kind %s, for which the schema has no name"
                    .formatted(change.identity(), change.modTypeName()));
        }
        return Datum.bytes(out -> write(out, change, delivery));
    }

    private void write(Encoder out, DataChangeRecord change, Delivery delivery) throws IOException {
        out.writeString(delivery.partition().value());
        out.writeLong(FieldValues.micros(change.commitTimestamp()));
        out.writeString(change.serverTransactionId());
        out.writeBoolean(change.isLastRecordInTransactionInPartition());
        out.writeString(change.recordSequence());
        out.writeString(change.tableName());
        writeColumns(out, change.columnTypes());
        writeMods(out, change.mods());
        out.writeEnum(MOD_TYPES.indexOf(change.modType().name()));
        out.writeEnum(CAPTURE_TYPES.indexOf(captureType(change.valueCaptureType())));
        out.writeLong(change.numberOfRecordsInTransaction());
        out.writeLong(change.numberOfPartitionsInTransaction());
        writeNull(out);
        writeOptional(out, database);
        writeOptional(out, instance);
        writeNull(out);
    }

    private static void writeColumns(Encoder out, List<ColumnType> columns) throws IOException {
        out.writeArrayStart();
        out.setItemCount(columns.size());
        for (ColumnType column : columns) {
            out.startItem();
            out.writeString(column.name());
            out.writeEnum(typeCode(column.type()));
            Optional<SpannerType> element = column.type().arrayElementType();
            if (element.isEmpty()) {
                writeNull(out);
            } else {
                out.writeIndex(VALUE_BRANCH);
                out.writeEnum(typeCode(element.get()));
            }
            out.writeBoolean(column.isPrimaryKey());
            out.writeLong(column.ordinalPosition());
        }
        out.writeArrayEnd();
    }

    /** Returns the place of the type's code; the first one is that of types for which the schema has none. */
    private static int typeCode(SpannerType type) {
        return Math.max(0, TYPE_CODES.indexOf(type.code().name()));
    }

    private static void writeMods(Encoder out, List<Mod> mods) throws IOException {
        out.writeArrayStart();
        out.setItemCount(mods.size());
        for (Mod mod : mods) {
            out.startItem();
            out.writeString(mod.keys().toString());
            writeOptional(out, Optional.of(mod.oldValues().toString()));
            writeOptional(out, Optional.of(mod.newValues().toString()));
        }
        out.writeArrayEnd();
    }

    /** Returns the name that the template has for the type; it has none for whole rows with old values. */
    private static String captureType(ValueCaptureType type) {
        return switch (type) {
            case OLD_AND_NEW_VALUES -> "OLD_AND_NEW_VALUES";
            case NEW_ROW -> "NEW_ROW";
            case NEW_VALUES, NEW_ROW_AND_OLD_VALUES, UNKNOWN -> "NEW_VALUES";
        };
    }

    private static void writeNull(Encoder out) throws IOException {
        out.writeIndex(NULL_BRANCH);
        out.writeNull();
    }

    private static void writeOptional(Encoder out, Optional<String> text) throws IOException {
        if (text.isEmpty()) {
            writeNull(out);
        } else {
            out.writeIndex(VALUE_BRANCH);
            out.writeString(text.get());
        }
    }
}

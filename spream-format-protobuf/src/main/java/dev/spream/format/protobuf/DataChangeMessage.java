package dev.spream.format.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.protobuf.CodedOutputStream;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.format.schema.RowForm;
import dev.spream.format.schema.RowForm.Use;
import dev.spream.format.schema.RowSchemas;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes as the message {@code google.spanner.v1.ChangeStreamRecord.DataChangeRecord} of Spanner's API. Its schema is
 * the part of the API's definitions that the message needs, in one file.
 *
 * @see <a href="https://github.com/googleapis/googleapis/blob/master/google/spanner/v1/change_stream.proto">change_stream.proto</a>
 */
final class DataChangeMessage {
    /** Place [0, 0] in the file: the number of the indexes, and the indexes, as varints in zigzag encoding. */
    private static final byte[] INDEX = {4, 0, 0};

    static final MessageSchema SCHEMA =
            new MessageSchema("google.spanner.v1.ChangeStreamRecord.DataChangeRecord", text(), INDEX);

    /** Codes by their numbers in the API. */
    private static final List<String> TYPES = List.of(
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
            "JSON",
            "unused 12",
            "PROTO",
            "ENUM",
            "FLOAT32",
            "INTERVAL",
            "UUID");

    private static final List<String> ANNOTATIONS =
            List.of("TYPE_ANNOTATION_CODE_UNSPECIFIED", "unused 1", "PG_NUMERIC", "PG_JSONB", "PG_OID");

    /** The columns of changes: they are the same in most of a table. */
    private final RowSchemas<Columns> columns = new RowSchemas<>(form -> Columns.of(form.columns()));

    private record Columns(List<byte[]> messages, Map<String, Integer> places) {
        static Columns of(List<ColumnType> types) {
            Map<String, Integer> places = new HashMap<>();
            types.forEach(type -> places.put(type.name(), places.size()));
            return new Columns(types.stream().map(DataChangeMessage::column).toList(), places);
        }
    }

    private static String text() {
        String name = "data_change_record.proto";
        try (InputStream file = requireNonNull(DataChangeMessage.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws NonRetryableException if the kind of the change is unknown, or a value has no column */
    byte[] bytes(DataChangeRecord change) {
        Columns known = columns.of(new RowForm(Use.MESSAGE, change.tableName(), change.columnTypes(), Set.of()));
        return EncodedMessage.bytes(out -> {
            out.writeByteArray(1, EncodedMessage.timestamp(change.commitTimestamp()));
            out.writeString(2, change.recordSequence());
            out.writeString(3, change.serverTransactionId());
            out.writeBool(4, change.isLastRecordInTransactionInPartition());
            out.writeString(5, change.tableName());
            for (byte[] column : known.messages()) {
                out.writeByteArray(6, column);
            }
            for (Mod mod : change.mods()) {
                out.writeByteArray(7, mod(change, known.places(), mod));
            }
            out.writeEnum(8, modType(change));
            out.writeEnum(9, captureType(change.valueCaptureType()));
            out.writeInt64(10, change.numberOfRecordsInTransaction());
            out.writeInt64(11, change.numberOfPartitionsInTransaction());
            out.writeString(12, change.transactionTag());
            out.writeBool(13, change.isSystemTransaction());
        });
    }

    private static byte[] column(ColumnType column) {
        return EncodedMessage.bytes(out -> {
            out.writeString(1, column.name());
            out.writeByteArray(2, type(column.type()));
            out.writeBool(3, column.isPrimaryKey());
            out.writeInt64(4, column.ordinalPosition());
        });
    }

    private static byte[] type(SpannerType type) {
        return EncodedMessage.bytes(out -> {
            out.writeEnum(1, number(TYPES, type.code().name()));
            if (type.arrayElementType().isPresent()) {
                out.writeByteArray(2, type(type.arrayElementType().get()));
            }
            if (type.typeAnnotation().isPresent()) {
                out.writeEnum(4, number(ANNOTATIONS, type.typeAnnotation().get()));
            }
            if (type.protoTypeName().isPresent()) {
                out.writeString(5, type.protoTypeName().get());
            }
        });
    }

    /** Returns the number of a code; 0 is that of codes which are unknown. */
    private static int number(List<String> codes, String code) {
        return Math.max(0, codes.indexOf(code));
    }

    private static byte[] mod(DataChangeRecord change, Map<String, Integer> places, Mod mod) {
        return EncodedMessage.bytes(out -> {
            writeValues(out, 1, change, places, mod.keys());
            writeValues(out, 2, change, places, mod.oldValues());
            writeValues(out, 3, change, places, mod.newValues());
        });
    }

    private static void writeValues(
            CodedOutputStream out, int number, DataChangeRecord change, Map<String, Integer> places, JsonObject values)
            throws IOException {
        for (Map.Entry<String, @Nullable Object> value : values.members().entrySet()) {
            @Nullable Integer place = places.get(value.getKey());
            if (place == null) {
                throw new NonRetryableException("the change %s has a value of the column %s, of which it has no type"
                        .formatted(change.identity(), value.getKey()));
            }
            out.writeByteArray(number, EncodedMessage.bytes(single -> {
                single.writeInt32(1, place);
                single.writeByteArray(2, value(value.getValue()));
            }));
        }
    }

    /** Returns a {@code google.protobuf.Value}. */
    private static byte[] value(@Nullable Object value) {
        return EncodedMessage.bytes(out -> {
            switch (value) {
                case null -> out.writeEnum(1, 0);
                case BigDecimal number -> out.writeDouble(2, number.doubleValue());
                case String text -> out.writeString(3, text);
                case Boolean bool -> out.writeBool(4, bool);
                case List<?> list ->
                    out.writeByteArray(6, EncodedMessage.bytes(elements -> {
                        for (Object element : list) {
                            elements.writeByteArray(1, value(element));
                        }
                    }));
                default -> out.writeString(3, Json.text(value)); // an object, of a type that is not known
            }
        });
    }

    private static int modType(DataChangeRecord change) {
        return switch (change.modType()) {
            case INSERT -> 10;
            case UPDATE -> 20;
            case DELETE -> 30;
            case UNKNOWN ->
                throw new NonRetryableException(
                        "the change %s is of the unknown kind %s, for which the message has no name"
                                .formatted(change.identity(), change.modTypeName()));
        };
    }

    private static int captureType(ValueCaptureType type) {
        return switch (type) {
            case UNKNOWN -> 0;
            case OLD_AND_NEW_VALUES -> 10;
            case NEW_VALUES -> 20;
            case NEW_ROW -> 30;
            case NEW_ROW_AND_OLD_VALUES -> 40;
        };
    }
}

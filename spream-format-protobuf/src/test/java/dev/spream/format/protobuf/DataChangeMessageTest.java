package dev.spream.format.protobuf;

import static dev.spream.format.protobuf.Changes.ID;
import static dev.spream.format.protobuf.Changes.array;
import static dev.spream.format.protobuf.Changes.change;
import static dev.spream.format.protobuf.Changes.column;
import static dev.spream.format.protobuf.Changes.mod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModType;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModValue;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ValueCaptureType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.servers.rows.RandomRow;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of whole changes, as the message of Spanner's own client reads them. */
final class DataChangeMessageTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final DataChangeRecord UPDATE = change(
            "UPDATE",
            "NEW_ROW_AND_OLD_VALUES",
            List.of(ID, array("Tags", "INT64", 2), column("Weight", TypeCode.FLOAT64, false, 3)),
            new Mod(
                    JsonObject.of("{\"Id\":\"17\"}"),
                    JsonObject.of("{\"Tags\":[\"1\",null],\"Weight\":0.1}"),
                    JsonObject.of("{\"Tags\":null,\"Weight\":\"NaN\"}")));

    private static ChangeStreamRecord.DataChangeRecord read(DataChangeRecord change) throws Exception {
        ChangeStreamRecord.DataChangeRecord read =
                ChangeStreamRecord.DataChangeRecord.parseFrom(new DataChangeMessage().bytes(change));
        assertThat(read.getUnknownFields().asMap()).isEmpty();
        return read;
    }

    @Test
    void a_change_is_the_message_of_spanners_client() throws Exception {
        ChangeStreamRecord.DataChangeRecord read = read(UPDATE);
        assertThat(read.getCommitTimestamp().getSeconds()).isEqualTo(Changes.COMMITTED.getEpochSecond());
        assertThat(read.getCommitTimestamp().getNanos()).isEqualTo(Changes.COMMITTED.getNano());
        assertThat(read.getRecordSequence()).isEqualTo("00000001");
        assertThat(read.getServerTransactionId()).isEqualTo("6329047911");
        assertThat(read.getIsLastRecordInTransactionInPartition()).isTrue();
        assertThat(read.getTable()).isEqualTo("Orders");
        assertThat(read.getModType()).isEqualTo(ModType.UPDATE);
        assertThat(read.getValueCaptureType()).isEqualTo(ValueCaptureType.NEW_ROW_AND_OLD_VALUES);
        assertThat(read.getNumberOfRecordsInTransaction()).isEqualTo(2);
        assertThat(read.getNumberOfPartitionsInTransaction()).isEqualTo(1);
        assertThat(read.getTransactionTag()).isEqualTo("tag");
        assertThat(read.getIsSystemTransaction()).isFalse();
        assertThat(read.getColumnMetadata(0).getName()).isEqualTo("Id");
        assertThat(read.getColumnMetadata(0).getIsPrimaryKey()).isTrue();
        assertThat(read.getColumnMetadata(1).getOrdinalPosition()).isEqualTo(2);
        ChangeStreamRecord.DataChangeRecord.Mod mod = read.getMods(0);
        assertThat(mod.getKeys(0).getColumnMetadataIndex()).isZero();
        assertThat(mod.getKeys(0).getValue().getStringValue()).isEqualTo("17");
        assertThat(mod.getNewValues(0).getColumnMetadataIndex()).isEqualTo(1);
        assertThat(mod.getNewValues(0).getValue().getListValue().getValuesList())
                .containsExactly(
                        Value.newBuilder().setStringValue("1").build(),
                        Value.newBuilder().setNullValueValue(0).build());
        assertThat(mod.getNewValues(1).getValue().getNumberValue()).isEqualTo(0.1);
        assertThat(mod.getOldValues(0).getValue().hasNullValue()).isTrue();
        assertThat(mod.getOldValues(1).getValue().getStringValue()).isEqualTo("NaN");
    }

    @Test
    void any_row_is_read_back_as_spanner_encoded_it() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < 3_000; i++) {
            DataChangeRecord change = RandomRow.of("Orders", random).change();
            ChangeStreamRecord.DataChangeRecord read = read(change);
            ChangeStreamRecord.DataChangeRecord.Mod mod = read.getMods(0);
            Mod sent = change.mods().getFirst();
            assertThat(plain(read, mod.getKeysList()))
                    .as("row %d of -Dseed=%d: %s", i, SEED, change)
                    .isEqualTo(plain(sent.keys()));
            assertThat(plain(read, mod.getNewValuesList()))
                    .as("row %d of -Dseed=%d: %s", i, SEED, change)
                    .isEqualTo(plain(sent.newValues()));
        }
    }

    private static Map<String, @Nullable Object> plain(
            ChangeStreamRecord.DataChangeRecord read, List<ModValue> values) {
        Map<String, @Nullable Object> plain = new HashMap<>();
        values.forEach(value ->
                plain.put(read.getColumnMetadata(value.getColumnMetadataIndex()).getName(), plain(value.getValue())));
        return plain;
    }

    private static Map<String, @Nullable Object> plain(JsonObject values) {
        Map<String, @Nullable Object> plain = new HashMap<>();
        values.members().forEach((name, value) -> plain.put(name, plain(value)));
        return plain;
    }

    /** Returns numbers as Protobuf's values have them, as a double, and objects as their text. */
    private static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case Value read ->
                switch (read.getKindCase()) {
                    case NULL_VALUE -> null;
                    case NUMBER_VALUE -> read.getNumberValue();
                    case STRING_VALUE -> read.getStringValue();
                    case BOOL_VALUE -> read.getBoolValue();
                    case LIST_VALUE -> plain(read.getListValue().getValuesList());
                    case STRUCT_VALUE, KIND_NOT_SET -> throw new AssertionError(read);
                };
            case List<?> list ->
                list.stream()
                        .map(DataChangeMessageTest::plain)
                        .map(String::valueOf)
                        .toList();
            case Number number -> number.doubleValue();
            case Map<?, ?> object -> Json.text(object);
            case null, default -> value;
        };
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void a_type_has_the_code_of_the_api(TypeCode code) throws Exception {
        Type type = read(change(
                        "INSERT", "NEW_ROW", List.of(ID, column("C", code, false, 2)), mod("{\"Id\":\"1\"}", "{}")))
                .getColumnMetadata(1)
                .getType();
        assertThat(type.getCode().name()).isEqualTo(code.name());
    }

    @Test
    void a_type_has_its_elements_its_annotation_and_its_name() throws Exception {
        String numeric = "{\"code\":\"NUMERIC\",\"type_annotation\":\"PG_NUMERIC\"}";
        Type array = typeRead("{\"code\":\"ARRAY\",\"array_element_type\":%s}".formatted(numeric));
        assertThat(array.getArrayElementType().getTypeAnnotation()).isEqualTo(TypeAnnotationCode.PG_NUMERIC);
        assertThat(typeRead("{\"code\":\"JSON\",\"type_annotation\":\"PG_JSONB\"}")
                        .getTypeAnnotation())
                .isEqualTo(TypeAnnotationCode.PG_JSONB);
        assertThat(typeRead("{\"code\":\"PROTO\",\"proto_type_fqn\":\"shop.Order\"}")
                        .getProtoTypeFqn())
                .isEqualTo("shop.Order");
        assertThat(typeRead("{\"code\":\"TENSOR\"}").getCodeValue()).isZero();
    }

    private static Type typeRead(String type) throws Exception {
        ColumnType column = new ColumnType("C", new SpannerType(JsonObject.of(type)), false, 2);
        return read(change("INSERT", "NEW_ROW", List.of(ID, column), mod("{\"Id\":\"1\"}", "{}")))
                .getColumnMetadata(1)
                .getType();
    }

    @Test
    void the_published_file_defines_the_message_of_the_api() throws Exception {
        FileDescriptor file = Protoc.file(DataChangeMessage.SCHEMA.text());
        Descriptor record = file.getMessageTypes().getFirst().getNestedTypes().getFirst();
        assertThat(record.getFullName()).isEqualTo(DataChangeMessage.SCHEMA.name());
        assertSame(record, ChangeStreamRecord.DataChangeRecord.getDescriptor());
        assertThat(record.getFields())
                .hasSameSizeAs(
                        ChangeStreamRecord.DataChangeRecord.getDescriptor().getFields());
        DynamicMessage read = DynamicMessage.parseFrom(record, new DataChangeMessage().bytes(UPDATE));
        assertThat(((List<?>) read.getField(record.findFieldByName("mods"))).getFirst())
                .isInstanceOf(Message.class);
        assertThat(file.getEnumTypes())
                .allSatisfy(type -> assertThat(values(type))
                        .isEqualTo(values(Type.getDescriptor().getFile().findEnumTypeByName(type.getName()))));
    }

    /** Checks the fields that are defined here, and those of their messages. */
    private static void assertSame(Descriptor own, Descriptor api) {
        for (FieldDescriptor field : own.getFields()) {
            FieldDescriptor same = api.findFieldByNumber(field.getNumber());
            assertThat(described(field)).as(field.getFullName()).isEqualTo(described(same));
            if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
                assertThat(values(field.getEnumType())).isEqualTo(values(same.getEnumType()));
            }
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && !field.getMessageType().equals(own)
                    && !field.getMessageType().getFullName().startsWith("google.protobuf.")) {
                assertSame(field.getMessageType(), same.getMessageType());
            }
        }
    }

    /** Returns what a field is, apart from options for generated code. */
    private static FieldDescriptorProto described(FieldDescriptor field) {
        return field.toProto().toBuilder()
                .clearOptions()
                .setJsonName(field.getJsonName())
                .build();
    }

    private static Map<String, Integer> values(EnumDescriptor type) {
        Map<String, Integer> values = new HashMap<>();
        for (EnumValueDescriptor value : type.getValues()) {
            values.put(value.getName(), value.getNumber());
        }
        return values;
    }

    @Test
    void a_change_of_an_unknown_kind_is_refused() {
        DataChangeRecord unknown = change("UPSERT", "NEW_ROW", List.of(ID), mod("{\"Id\":\"1\"}", "{}"));
        assertThatThrownBy(() -> new DataChangeMessage().bytes(unknown))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("UPSERT");
    }

    @Test
    void a_value_without_a_type_is_refused() {
        DataChangeRecord typeless =
                change("INSERT", "NEW_ROW", List.of(ID), mod("{\"Id\":\"1\"}", "{\"Status\":\"secret\"}"));
        assertThatThrownBy(() -> new DataChangeMessage().bytes(typeless))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("column Status")
                .hasMessageNotContaining("secret");
    }
}

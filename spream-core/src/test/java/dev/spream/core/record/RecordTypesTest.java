package dev.spream.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Names on the wire and validation in the values of this package. */
final class RecordTypesTest {

    @Test
    void every_known_name_is_its_own_type_and_every_other_is_unknown() {
        for (TypeCode code : TypeCode.values()) {
            assertThat(TypeCode.of(code.name())).isEqualTo(code);
        }
        for (ModType type : ModType.values()) {
            assertThat(ModType.of(type.name())).isEqualTo(type);
        }
        for (ValueCaptureType type : ValueCaptureType.values()) {
            assertThat(ValueCaptureType.of(type.name())).isEqualTo(type);
        }
        for (String other : List.of("", "int64", "insert", "NEW ROW", "TOKENLIST")) {
            assertThat(TypeCode.of(other)).isEqualTo(TypeCode.UNKNOWN);
            assertThat(ModType.of(other)).isEqualTo(ModType.UNKNOWN);
            assertThat(ValueCaptureType.of(other)).isEqualTo(ValueCaptureType.UNKNOWN);
        }
    }

    @Test
    void the_type_codes_known_today_are_known() {
        assertThat(Stream.of(
                                "BOOL",
                                "INT64",
                                "FLOAT64",
                                "FLOAT32",
                                "TIMESTAMP",
                                "DATE",
                                "STRING",
                                "BYTES",
                                "ARRAY",
                                "STRUCT",
                                "NUMERIC",
                                "JSON",
                                "PROTO",
                                "ENUM",
                                "INTERVAL",
                                "UUID")
                        .map(TypeCode::of))
                .doesNotContain(TypeCode.UNKNOWN)
                .doesNotHaveDuplicates();
    }

    @Test
    void a_type_tells_its_element_type_annotation_and_proto_name() {
        SpannerType array = new SpannerType(JsonObject.of("""
                {"code":"ARRAY","array_element_type":{"code":"NUMERIC","type_annotation":"PG_NUMERIC"}}"""));
        assertThat(array.code()).isEqualTo(TypeCode.ARRAY);
        assertThat(array.arrayElementType().map(SpannerType::code)).contains(TypeCode.NUMERIC);
        assertThat(array.arrayElementType().flatMap(SpannerType::typeAnnotation))
                .contains("PG_NUMERIC");
        assertThat(array.typeAnnotation()).isEmpty();
        SpannerType proto = new SpannerType(JsonObject.of("{\"code\":\"PROTO\",\"proto_type_fqn\":\"shop.Order\"}"));
        assertThat(proto.protoTypeName()).contains("shop.Order");
        assertThat(SpannerType.of(TypeCode.UUID).codeName()).isEqualTo("UUID");
        assertThat(new SpannerType(JsonObject.EMPTY).code()).isEqualTo(TypeCode.UNKNOWN);
    }

    @Test
    void a_record_with_one_of_its_rows_is_the_same_in_all_else() {
        Mod first = new Mod(JsonObject.of("{\"Id\":\"1\"}"), JsonObject.EMPTY, JsonObject.EMPTY);
        Mod second = new Mod(JsonObject.of("{\"Id\":\"2\"}"), JsonObject.EMPTY, JsonObject.EMPTY);
        ColumnType id = new ColumnType("Id", SpannerType.of(TypeCode.STRING), true, 1);
        DataChangeRecord both = new DataChangeRecord(
                Instant.EPOCH,
                "3",
                "tx",
                true,
                "T",
                List.of(id),
                List.of(first, second),
                "INSERT",
                "NEW_ROW",
                5,
                6,
                "tag",
                true);
        DataChangeRecord one = both.withOnly(second);
        assertThat(one.mods()).containsExactly(second);
        assertThat(one).usingRecursiveComparison().ignoringFields("mods").isEqualTo(both);
        assertThat(one.withOnly(second)).isSameAs(one);
        assertThat(one.with(both.columnTypes(), both.mods())).isEqualTo(both);
    }

    @Test
    void children_are_at_least_one_and_have_tokens() {
        assertThatThrownBy(() -> new ChildPartitionsRecord(Instant.EPOCH, "0", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("childPartitions must name at least one partition");
        assertThatThrownBy(() -> new ChildPartition("", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token must not be empty");
        assertThat(new ChildPartitionsRecord(Instant.EPOCH, "0", List.of(new ChildPartition("a", List.of())))
                        .timestamp())
                .isEqualTo(Instant.EPOCH);
    }

    @Test
    void parents_that_are_null_are_left_out_wherever_they_stand() {
        assertThat(ChildPartition.of("a", Arrays.<@Nullable String>asList(null, "x", null, "y"))
                        .parentTokens())
                .containsExactly("x", "y");
        assertThat(ChildPartition.of("a", null).parentTokens()).isEmpty();
    }

    @Test
    void identities_order_by_commit_then_transaction_then_sequence() {
        Instant commit = Instant.parse("2022-09-27T12:30:00.123456Z");
        List<RecordIdentity> ordered = List.of(
                new RecordIdentity(commit.minusNanos(1), "z", "9"),
                new RecordIdentity(commit, "a", "00000001"),
                new RecordIdentity(commit, "a", "00000002"),
                new RecordIdentity(commit, "b", "00000000"),
                new RecordIdentity(commit.plusNanos(1), "a", "0"));
        assertThat(ordered.reversed().stream().sorted()).containsExactlyElementsOf(ordered);
    }
}

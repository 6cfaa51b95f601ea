package dev.spream.storage.spanner.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import com.google.protobuf.Value.KindCase;
import com.google.protobuf.util.Values;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class EncodedValueTest {
    private static final Value NULL = Values.ofNull();
    private static final Value TRUE = Values.of(true);
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(9, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();

    @Test
    void each_kind_is_read() {
        assertThat(encoded(NULL).isNull()).isTrue();
        assertThat(encoded(TRUE).bool()).isTrue();
        assertThat(encoded(Values.of(false)).bool()).isFalse();
        assertThat(encoded(Values.of("Grüße \uD83D\uDE00")).string()).isEqualTo("Grüße \uD83D\uDE00");
        assertThat(encoded(Values.of("")).string()).isEmpty();
        assertThat(encoded(Values.of(1.5)).kind()).isEqualTo(KindCase.NUMBER_VALUE);
    }

    @Test
    void lists_are_read_in_their_order() {
        var elements = encoded(Values.of(List.of(Values.of("a"), NULL, Values.of(List.of()), Values.of(List.of(TRUE)))))
                .list();

        assertThat(elements)
                .extracting(EncodedValue::kind)
                .containsExactly(KindCase.STRING_VALUE, KindCase.NULL_VALUE, KindCase.LIST_VALUE, KindCase.LIST_VALUE);
        assertThat(elements.get(0).string()).isEqualTo("a");
        assertThat(elements.get(2).list()).isEmpty();
        assertThat(elements.get(3).list().getFirst().bool()).isTrue();
        assertThat(elements.get(3).decode()).isEqualTo(Values.of(List.of(TRUE)));
    }

    @Test
    void another_kind_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encoded(TRUE).string())
                .withMessage("STRING_VALUE was expected, found BOOL_VALUE");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encoded(Value.getDefaultInstance()).list())
                .withMessage("LIST_VALUE was expected, found KIND_NOT_SET");
    }

    @Test
    void the_last_of_several_kinds_counts_as_in_a_message() throws IOException {
        ByteString both = TRUE.toByteString().concat(Values.of("last").toByteString());

        assertThat(Value.parseFrom(both)).isEqualTo(Values.of("last"));
        assertThat(EncodedValue.of(both).string()).isEqualTo("last");
    }

    @Test
    void unknown_fields_are_ignored() {
        Value text = Values.of("a").toBuilder().setUnknownFields(UNKNOWN).build();
        Value listed = Value.newBuilder()
                .setListValue(ListValue.newBuilder().setUnknownFields(UNKNOWN).addValues(text))
                .build();

        assertThat(encoded(text).string()).isEqualTo("a");
        assertThat(encoded(listed).list().getFirst().string()).isEqualTo("a");
        assertThat(encoded(Value.newBuilder().setUnknownFields(UNKNOWN).build()).kind())
                .isEqualTo(KindCase.KIND_NOT_SET);
    }

    @Test
    void a_field_of_another_wire_type_is_unknown() throws IOException {
        ByteString number = ByteString.copyFrom(new byte[] {1 << 3 | 2, 1, 0});

        assertThat(Value.parseFrom(number).getKindCase()).isEqualTo(KindCase.KIND_NOT_SET);
        assertThat(EncodedValue.of(number).kind()).isEqualTo(KindCase.KIND_NOT_SET);
    }

    @Test
    void a_copy_is_the_same_value() {
        EncodedValue element = encoded(Values.of(List.of(Values.of("a"), Values.of(List.of(TRUE)))))
                .list()
                .get(1);

        assertThat(element.copy().hasBytesOf(element)).isTrue();
        assertThat(element.copy().list().getFirst().bool()).isTrue();
    }

    @Test
    void text_that_is_not_utf_8_is_refused_and_the_replacement_character_is_not() {
        assertThat(encoded(Values.of("a\uFFFDb")).string()).isEqualTo("a\uFFFDb");
        ByteString invalid = ByteString.copyFrom(new byte[] {3 << 3 | 2, 2, (byte) 0xC3, 'a'});

        assertThatIllegalArgumentException()
                .isThrownBy(() -> EncodedValue.of(invalid).string())
                .withMessage("a string is not UTF-8");
    }

    @Test
    void malformed_bytes_are_refused() {
        ByteString cut = Values.of("abc").toByteString().substring(0, 3);
        ByteString cutList = ByteString.copyFrom(new byte[] {6 << 3 | 2, 2, 1 << 3 | 2, 9});

        assertThatIllegalArgumentException().isThrownBy(() -> EncodedValue.of(cut));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EncodedValue.of(cutList).list())
                .withMessageStartingWith("a value is malformed: ");
    }

    @Test
    void bytes_are_compared() {
        EncodedValue columns = encoded(Values.of(List.of(Values.of("a"), TRUE)));

        assertThat(columns.hasBytesOf(encoded(Values.of(List.of(Values.of("a"), TRUE)))))
                .isTrue();
        assertThat(columns.hasBytesOf(encoded(Values.of(List.of(Values.of("b"), TRUE)))))
                .isFalse();
    }

    private static EncodedValue encoded(Value value) {
        return EncodedValue.of(value.toByteString());
    }
}

package dev.spream.emulator.internal.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.protobuf.Value;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class UpstreamRecordTest {
    @Test
    void a_column_whose_type_has_the_name_of_a_message_is_a_message() {
        UpstreamRecord record = UpstreamRecord.of(JsonParser.parseString("""
                {"commit_timestamp": "2026-01-01T00:00:00Z", "server_transaction_id": "7", "record_sequence": "00000000",
                 "table_name": "T", "mod_type": "INSERT", "value_capture_type": "NEW_ROW",
                 "column_types": [
                   {"name": "Id", "type": {"code": "INT64"}, "is_primary_key": true, "ordinal_position": "1"},
                   {"name": "M", "type": {"code": "my.Msg"}, "is_primary_key": false, "ordinal_position": "2"}],
                 "mods": [{"keys": {"Id": "1"}, "new_values": {"M": null}, "old_values": {}}]}
                """).getAsJsonObject());
        assertThat(record.columns().getLast().type())
                .satisfies(type -> assertThat(type.getCode()).isEqualTo(TypeCode.PROTO))
                .satisfies(type -> assertThat(type.getProtoTypeFqn()).isEqualTo("my.Msg"));
        assertThat(record.changes(List.of("Id")).getFirst().after()).containsEntry("M", Values.NULL);
    }

    @Test
    void the_parts_of_a_divided_value_are_joined_within_lists() {
        Value first = Values.list(List.of(Values.string("a"), Values.list(List.of(Values.string("b")))));
        Value second = Values.list(List.of(Values.list(List.of(Values.string("c"), Values.NULL))));
        assertThat(UpstreamClient.joined(first, second))
                .isEqualTo(Values.list(
                        List.of(Values.string("a"), Values.list(List.of(Values.string("bc"), Values.NULL)))));
        assertThat(UpstreamClient.joined(Values.list(List.of(Values.NULL)), Values.list(List.of(Values.NULL))))
                .isEqualTo(Values.list(List.of(Values.NULL, Values.NULL)));
    }

    @Test
    void only_a_timestamp_is_read_as_the_placeholder_of_the_commit() {
        Value text = Values.string("9999-12-31T23:59:59Z");
        Instant commit = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(ExactValues.exact(Map.of("Seen", text, "Note", text), Map.of(), Set.of("Seen"), commit))
                .containsEntry("Seen", Values.string("2026-01-01T00:00:00Z"))
                .containsEntry("Note", text);
        Value stored = Values.string("9999-12-31T23:59:59.999Z");
        assertThat(ExactValues.exact(Map.of("Seen", text), Map.of("Seen", stored), Set.of("Seen"), commit))
                .containsEntry("Seen", stored);
    }
}

package dev.spream.api.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.junit.jupiter.api.Test;

/**
 * A consumer that is written for Debezium's envelope reads ours: Kafka Connect's converter makes structs of the messages.
 * {@code DebeziumMessagesIT} compares them with the connector's own.
 */
final class DebeziumFormatTest {
    private final ChangeFormat format = format(true);

    private static ChangeFormat format(boolean schemas) {
        return ChangeFormat.debezium(Rows.STREAM, "shop", schemas, InstantSource.fixed(Rows.WRITTEN));
    }

    private static SchemaAndValue read(byte[] message, boolean isKey) {
        try (JsonConverter converter = new JsonConverter()) {
            converter.configure(Map.of("schemas.enable", true), isKey);
            return converter.toConnectData("shop.Orders", message);
        }
    }

    private Struct value(ChangedRow row) {
        return (Struct) read(format.value(row), false).value();
    }

    @Test
    void an_insert_has_typed_values_after_it_and_none_before() {
        Struct envelope = value(Rows.inserted());
        envelope.validate();
        assertThat(envelope.schema().name()).isEqualTo("shop.Orders.Envelope");
        assertThat(envelope.getString("op")).isEqualTo("c");
        assertThat(envelope.get("before")).isNull();
        Struct after = envelope.getStruct("after");
        assertThat(after.schema().name()).isEqualTo("Orders.Value");
        assertThat(after.getInt64("Id")).isEqualTo(9007199254740993L);
        assertThat(after.getString("Line")).isEqualTo("a\n\"b\"");
        assertThat(after.getString("Total")).isEqualTo("12.50");
        assertThat(after.getFloat32("Ratio")).isEqualTo(1.1f);
        assertThat(after.getBoolean("Paid")).isTrue();
        assertThat(ByteBuffer.wrap(after.getBytes("Note"))).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, -1}));
        assertThat(after.getString("Doc")).isEqualTo("{\"a\":[1,2.50]}");
        assertThat(after.schema().field("Ref").schema().name()).isEqualTo("io.debezium.data.Uuid");
        assertThat(after.getInt64("Kind")).isEqualTo(2);
        assertThat(after.getArray("Tags")).isEqualTo(Arrays.asList("x", null));
        assertThat(after.getArray("Counts")).isEqualTo(List.of(1L, -9007199254740993L));
    }

    @Test
    void times_are_those_of_the_commit_and_of_the_message() {
        Struct envelope = value(Rows.inserted());
        assertThat(envelope.getInt64("ts_ms")).isEqualTo(1_769_860_801_500L);
        assertThat(envelope.getInt64("ts_us")).isEqualTo(1_769_860_801_500_000L);
        assertThat(envelope.getInt64("ts_ns")).isEqualTo(1_769_860_801_500_000_000L);
        Struct source = envelope.getStruct("source");
        assertThat(source.getInt64("ts_ms")).isEqualTo(1_769_860_800_123L);
        assertThat(source.getInt64("ts_us")).isEqualTo(1_769_860_800_123_456L);
        assertThat(source.getInt64("ts_ns")).isEqualTo(1_769_860_800_123_456_789L);
    }

    @Test
    void the_source_says_where_the_change_is_from() {
        Struct source = value(Rows.inserted()).getStruct("source");
        assertThat(source.getString("connector")).isEqualTo("spanner");
        assertThat(source.getString("name")).isEqualTo("shop");
        assertThat(source.getString("db")).isEqualTo("shop");
        assertThat(source.getString("project_id")).isEqualTo("p");
        assertThat(source.getString("instance_id")).isEqualTo("i");
        assertThat(source.getString("database_id")).isEqualTo("shop");
        assertThat(source.getString("change_stream_name")).isEqualTo("OrdersStream");
        assertThat(source.getString("table")).isEqualTo("Orders");
        assertThat(source.getString("sequence")).isEqualTo("7");
        assertThat(source.getString("server_transaction_id")).isEqualTo("tx1");
        assertThat(source.getString("transaction_tag")).isEqualTo("import");
        assertThat(source.getString("value_capture_type")).isEqualTo("NEW_ROW");
        assertThat(source.getString("partition_token")).isEqualTo("partition-1");
        assertThat(source.getInt32("mod_number")).isZero();
        assertThat(source.getInt64("number_records_in_transaction")).isEqualTo(2);
        assertThat(source.getInt64("number_of_partitions_in_transaction")).isEqualTo(1);
        assertThat(source.getBoolean("is_last_record_in_transaction_in_partition"))
                .isTrue();
        assertThat(source.getBoolean("system_transaction")).isFalse();
        assertThat(source.getString("snapshot")).isEqualTo("false");
    }

    @Test
    void an_update_has_both_and_a_delete_only_what_was_before() {
        Struct update = value(Rows.updated("OLD_AND_NEW_VALUES"));
        assertThat(update.getString("op")).isEqualTo("u");
        assertThat(update.getStruct("before").getString("Status")).isEqualTo("NEW");
        assertThat(update.getStruct("after").getString("Status")).isEqualTo("PAID");
        assertThat(update.getStruct("after").get("Total")).isNull();
        Struct delete = value(Rows.deleted());
        assertThat(delete.getString("op")).isEqualTo("d");
        assertThat(delete.getStruct("before").getInt64("Id")).isEqualTo(9007199254740993L);
        assertThat(delete.getStruct("before").getString("Status")).isEqualTo("PAID");
        assertThat(delete.get("after")).isNull();
        assertThat(format.deletion()).isEqualTo(ChangeFormat.Deletion.VALUE_THEN_TOMBSTONE);
    }

    @Test
    void rows_of_a_snapshot_are_read_and_not_created() {
        for (var snapshot :
                Map.of("snapshot:1", "true", "snapshot:added:1", "incremental").entrySet()) {
            ChangedRow row = new ChangedRow(Rows.inserted().change(), 0, Rows.delivery(snapshot.getKey()));
            assertThat(value(row).getString("op")).isEqualTo("r");
            assertThat(value(row).getStruct("source").getString("snapshot")).isEqualTo(snapshot.getValue());
        }
    }

    @Test
    void the_key_is_a_struct_whose_columns_are_optional_if_one_is_null() {
        Struct key = (Struct) read(format.key(Rows.inserted()), true).value();
        assertThat(key.schema().name()).isEqualTo("Orders.Key");
        assertThat(key.getInt64("Id")).isEqualTo(9007199254740993L);
        assertThat(key.schema().field("Id").schema()).isEqualTo(Schema.INT64_SCHEMA);
        Mod nothing = new Mod(JsonObject.of("{\"Id\":\"1\",\"Line\":null}"), JsonObject.of("{}"), JsonObject.EMPTY);
        ChangedRow row = Rows.row("INSERT", "NEW_ROW", nothing);
        Struct withNull = (Struct) read(format.key(row), true).value();
        assertThat(withNull.getString("Line")).isNull();
        assertThat(withNull.schema().field("Id").schema()).isEqualTo(Schema.OPTIONAL_INT64_SCHEMA);
        assertThat(value(row).getStruct("after").getString("Line")).isNull();
    }

    @Test
    void without_schemas_the_message_is_the_payload_of_that_with_a_schema() {
        for (ChangedRow row : List.of(Rows.inserted(), Rows.updated("NEW_ROW"), Rows.deleted())) {
            for (boolean isKey : List.of(true, false)) {
                String with = Rows.text(isKey ? format.key(row) : format.value(row));
                String without =
                        Rows.text(isKey ? format(false).key(row) : format(false).value(row));
                assertThat(Json.member(with, "payload")).contains(without);
            }
        }
    }

    @Test
    void names_that_kafka_does_not_accept_are_changed_in_the_schema_as_the_topic_is() {
        ChangeFormat other = ChangeFormat.debezium(Rows.STREAM, "my shop", true, InstantSource.fixed(Rows.WRITTEN));
        Struct envelope = (Struct) read(other.value(Rows.inserted()), false).value();
        assertThat(envelope.schema().name()).isEqualTo("my_shop.Orders.Envelope");
        assertThat(envelope.getStruct("source").getString("name")).isEqualTo("my shop");
    }

    @Test
    void a_change_of_an_unknown_kind_is_refused() {
        assertThatThrownBy(() -> format.value(Rows.row("TRUNCATE", "NEW_ROW", "{}", "{}")))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("unknown kind TRUNCATE");
    }
}

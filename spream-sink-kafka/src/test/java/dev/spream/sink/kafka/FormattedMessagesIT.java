package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.RecordingBatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages in other formats than the documentation's record, on a real broker. */
@Timeout(120)
final class FormattedMessagesIT {
    private static final Map<String, String> STREAM =
            Map.of("source-database", "projects/p/instances/i/databases/shop", "source-stream", "Orders");

    private final String topic;

    FormattedMessagesIT() throws Exception {
        topic = TestBroker.newTopic(1);
    }

    @Test
    void a_deleted_row_is_a_tombstone_behind_the_envelope_of_debezium() throws Exception {
        List<ConsumerRecord<byte[], byte[]>> messages =
                publish("debezium", change(1, "UPDATE", "NEW_ROW", "PAID"), change(2, "DELETE", "NEW_ROW", null));
        assertThat(messages).extracting(FormattedMessagesIT::key).containsOnly("{\"Id\":17}");
        assertThat(messages).hasSize(3);
        assertThat(value(messages.getFirst()))
                .contains("\"after\":{\"Id\":17,\"Status\":\"PAID\"}", "\"db\":\"shop\"", "\"op\":\"u\"");
        assertThat(value(messages.get(1))).contains("\"after\":null", "\"op\":\"d\"");
        assertThat(messages.get(2).value()).isNull();
        assertThat(messages)
                .extracting(message -> Topics.header(message, "content-type"))
                .containsOnly("application/json");
    }

    @Test
    void a_deleted_row_is_a_tombstone_alone_where_messages_are_rows() throws Exception {
        List<ConsumerRecord<byte[], byte[]>> messages =
                publish("after", change(1, "INSERT", "NEW_ROW", "NEW"), change(2, "DELETE", "NEW_ROW", null));
        assertThat(messages).hasSize(2);
        assertThat(value(messages.getFirst())).isEqualTo("{\"Id\":17,\"Status\":\"NEW\"}");
        assertThat(messages.get(1).value()).isNull();
        assertThat(Topics.header(messages.get(1), "mod_type")).isEqualTo("DELETE");
    }

    @Test
    void a_row_that_the_format_refuses_holds_up_its_key() throws Exception {
        try (KafkaSink sink = sink("after")) {
            RecordingBatch batch = new RecordingBatch(
                    change(1, "INSERT", "NEW_VALUES", "NEW"),
                    change(2, "UPDATE", "NEW_VALUES", "PAID"),
                    change(3, "DELETE", "NEW_VALUES", null));
            sink.consume(batch);
            assertThat(batch.settled()).containsExactly(0);
            assertThat(batch.failure(1)).isInstanceOf(NonRetryableException.class);
            assertThat(batch.failure(2)).hasMessageContaining("an earlier change of its keys was not");
        }
        assertThat(TestBroker.topics().read(topic)).hasSize(1);
    }

    private List<ConsumerRecord<byte[], byte[]>> publish(String format, DataChangeRecord... changes) throws Exception {
        try (KafkaSink sink = sink(format)) {
            RecordingBatch batch = new RecordingBatch(changes);
            sink.consume(batch);
            assertThat(batch.settled()).hasSize(changes.length);
        }
        return TestBroker.topics().read(topic);
    }

    private KafkaSink sink(String format) throws Exception {
        Map<String, String> values = new HashMap<>(STREAM);
        values.put("format", format);
        return KafkaSinkIT.sink(topic, values);
    }

    private static DataChangeRecord change(int second, String modType, String capture, @Nullable String status) {
        return ChangeRecordJson.readDataChange("""
                {"commit_timestamp": "2026-01-31T12:00:0%d.123456Z", "record_sequence": "00000001",
                 "server_transaction_id": "tx%d", "is_last_record_in_transaction_in_partition": true, "table_name": "Orders",
                 "column_types": [
                   {"name": "Id", "type": {"code": "INT64"}, "is_primary_key": true, "ordinal_position": 1},
                   {"name": "Status", "type": {"code": "STRING"}, "is_primary_key": false, "ordinal_position": 2}],
                 "mods": [{"keys": {"Id": "17"}, "new_values": %s, "old_values": {}}],
                 "mod_type": "%s", "value_capture_type": "%s", "number_of_records_in_transaction": 1,
                 "number_of_partitions_in_transaction": 1, "transaction_tag": "", "is_system_transaction": false}
                """.formatted(
                second, second, status == null ? "{}" : "{\"Status\": \"%s\"}".formatted(status), modType, capture));
    }

    private static String key(ConsumerRecord<byte[], byte[]> message) {
        return new String(message.key(), UTF_8);
    }

    private static String value(ConsumerRecord<byte[], byte[]> message) {
        return new String(message.value(), UTF_8);
    }
}

package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.QualifiedStreamName;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.testkit.consume.RecordingBatch;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ChangeMessagesTest {
    private static String orderingKey(String primaryKey) {
        DataChangeRecord template = PubsubChanges.change(1, "a");
        Mod row = new Mod(JsonObject.of(primaryKey), JsonObject.EMPTY, JsonObject.EMPTY);
        return ChangeMessages.OF_RECORDS
                .of(template.with(template.columnTypes(), List.of(row)), RecordingBatch.DELIVERY)
                .getFirst()
                .getOrderingKey();
    }

    @Test
    void a_message_says_in_attributes_what_it_is() {
        DataChangeRecord change = PubsubChanges.change(7, "a", "b");
        PubsubMessage message =
                ChangeMessages.OF_RECORDS.of(change, RecordingBatch.DELIVERY).get(1);
        assertThat(message.getOrderingKey()).isEqualTo("Orders/{\"Id\":\"b\"}");
        assertThat(message.getAttributesMap())
                .containsOnly(
                        entry("identity", "2026-01-01T10:00:07Z/tx7/00000000/1"),
                        entry("table", "Orders"),
                        entry("mod_type", "UPDATE"),
                        entry("commit_timestamp", "2026-01-01T10:00:07Z"),
                        entry("server_transaction_id", "tx7"),
                        entry("record_sequence", "00000000"),
                        entry("mod_index", "1"),
                        entry("number_of_mods", "2"),
                        entry("partition_token", "partition-1"));
    }

    @Test
    void the_body_is_the_record_with_the_one_row() {
        DataChangeRecord change = PubsubChanges.change(7, "a", "b");
        List<PubsubMessage> messages = ChangeMessages.OF_RECORDS.of(change, RecordingBatch.DELIVERY);
        assertThat(messages).hasSize(2);
        for (int i = 0; i < 2; i++) {
            DataChangeRecord read =
                    ChangeRecordJson.readDataChange(messages.get(i).getData().toStringUtf8());
            assertThat(read.mods()).containsExactly(change.mods().get(i));
            assertThat(read.identity()).isEqualTo(change.identity());
            assertThat(read.modTypeName()).isEqualTo(change.modTypeName());
        }
        DataChangeRecord single = PubsubChanges.change(8, "a");
        assertThat(ChangeMessages.OF_RECORDS
                        .of(single, RecordingBatch.DELIVERY)
                        .getFirst()
                        .getData()
                        .toStringUtf8())
                .isEqualTo(single.toJson());
    }

    @Test
    void another_format_has_its_own_body_and_says_what_it_is() {
        DataChangeRecord change = PubsubChanges.change(7, "a", "b");
        ChangeFormat format =
                ChangeFormat.cloudEvents(QualifiedStreamName.of("projects/p/instances/i/databases/d", "Changes"));
        PubsubMessage message = new ChangeMessages(Optional.of(format))
                .of(change, RecordingBatch.DELIVERY)
                .get(1);
        PubsubMessage record =
                ChangeMessages.OF_RECORDS.of(change, RecordingBatch.DELIVERY).get(1);
        assertThat(message.getData().toStringUtf8())
                .startsWith("{\"specversion\":\"1.0\"")
                .contains(record.getData().toStringUtf8());
        assertThat(message.getOrderingKey()).isEqualTo(record.getOrderingKey());
        assertThat(message.getAttributesMap())
                .containsAllEntriesOf(record.getAttributesMap())
                .containsEntry("content-type", "application/cloudevents+json")
                .hasSize(record.getAttributesCount() + 1);
    }

    @Test
    void a_key_gives_the_same_ordering_key_however_it_is_written() {
        assertThat(orderingKey("{\"B\":\"1\",\"A\":null}"))
                .isEqualTo("Orders/{\"A\":null,\"B\":\"1\"}")
                .isEqualTo(orderingKey("{ \"A\" : null, \"\\u0042\" : \"1\" }"));
    }

    @Test
    void the_empty_key_of_a_table_with_one_row_is_an_ordering_key() {
        assertThat(orderingKey("{}")).isEqualTo("Orders/{}");
    }

    @Test
    void a_long_ordering_key_becomes_its_hash() {
        String prefix = "Orders/{\"Id\":\"";
        String fits = "é".repeat((ShortText.MAX_BYTES - prefix.length() - 2) / 2);
        assertThat(orderingKey("{\"Id\":\"" + fits + "\"}"))
                .startsWith(prefix)
                .satisfies(text -> assertThat(text.getBytes(UTF_8)).hasSize(ShortText.MAX_BYTES));
        assertThat(orderingKey("{\"Id\":\"" + fits + "x\"}")).matches("sha256/[0-9a-f]{64}");
        assertThat(ShortText.of("a".repeat(1_000_000)))
                .as("as sha256sum has it")
                .isEqualTo("sha256/cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    @Test
    void a_long_partition_token_does_not_break_the_limit_of_an_attribute() {
        Delivery delivery =
                new Delivery(new PartitionToken("t".repeat(1_025)), 1, 1, Optional.empty(), Optional.empty());
        PubsubMessage message = ChangeMessages.OF_RECORDS
                .of(PubsubChanges.change(1, "a"), delivery)
                .getFirst();
        assertThat(message.getAttributesOrThrow("partition_token")).hasSize("sha256/".length() + 64);
    }

    @Test
    void a_key_that_cannot_be_read_is_refused_for_good() {
        DataChangeRecord template = PubsubChanges.change(1, "a");
        DataChangeRecord broken =
                template.with(List.of(), List.of(new Mod(JsonObject.of("[1]"), JsonObject.EMPTY, JsonObject.EMPTY)));
        assertThatThrownBy(() -> ChangeMessages.OF_RECORDS.of(broken, RecordingBatch.DELIVERY))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("tx1");
    }
}

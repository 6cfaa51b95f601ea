package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JsonFormatTest {
    private static final PartitionToken PARTITION = new PartitionToken("token-1");
    private static final Instant TIME = Instant.parse("2026-03-01T10:00:00.000000001Z");
    private static final LineFormat NAMED = new JsonFormat(true);

    @Test
    void changes_alone_are_printed_as_before() {
        DataChangeRecord change = TextFormatTest.change("INSERT", "tag");
        assertThat(new JsonFormat(false).change(PARTITION, change)).isEqualTo(change.toJson());
    }

    @Test
    void named_records_have_the_documentations_shape_and_the_token() {
        ChangeRecord change = TextFormatTest.change("INSERT", "tag");
        ChangeRecord heartbeat = new HeartbeatRecord(TIME);
        ChangeRecord children = new ChildPartitionsRecord(
                TIME, "2", List.of(new ChildPartition("a", List.of("p", "q")), new ChildPartition("b", List.of())));
        for (ChangeRecord record : List.of(change, heartbeat, children)) {
            String line = NAMED.other(PARTITION, record);
            assertThat(ChangeRecordJson.read(line)).containsExactly(record);
            assertThat(JsonObject.of(line).string("partition_token")).contains("token-1");
        }
        assertThat(JsonObject.of(NAMED.other(PartitionToken.ROOT, children)).members())
                .containsEntry("partition_token", null);
    }

    @Test
    void records_of_mutable_key_ranges_have_the_documentations_shape() {
        assertThat(NAMED.other(PARTITION, new PartitionStartRecord(TIME, "1", List.of("a", "b"))))
                .isEqualTo("{\"partition_token\":\"token-1\",\"partition_start_record\":{\"start_timestamp\":\"" + TIME
                        + "\",\"record_sequence\":\"1\",\"partition_tokens\":[\"a\",\"b\"]}}");
        assertThat(NAMED.other(
                        PARTITION, new PartitionEventRecord(TIME, "1", "token-1", List.of("a"), List.of("b", "c"))))
                .isEqualTo("{\"partition_token\":\"token-1\",\"partition_event_record\":{\"commit_timestamp\":\"" + TIME
                        + "\",\"record_sequence\":\"1\",\"partition_token\":\"token-1\","
                        + "\"move_in_events\":[{\"source_partition_token\":\"a\"}],"
                        + "\"move_out_events\":[{\"destination_partition_token\":\"b\"},"
                        + "{\"destination_partition_token\":\"c\"}]}}");
        assertThat(NAMED.other(PARTITION, new PartitionEndRecord(TIME, "1", "token-1")))
                .isEqualTo("{\"partition_token\":\"token-1\",\"partition_end_record\":{\"end_timestamp\":\"" + TIME
                        + "\",\"record_sequence\":\"1\",\"partition_token\":\"token-1\"}}");
    }
}

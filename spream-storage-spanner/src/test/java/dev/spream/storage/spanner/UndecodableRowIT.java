package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that cannot be decoded, from google-cloud-spanner's own mock server. */
@ParameterizedClass
@EnumSource
@Timeout(60)
class UndecodableRowIT {
    private static final PartitionQuery QUERY = new PartitionQuery(
            new PartitionToken("child_token_1"),
            Instant.parse("2022-05-01T09:00:00Z"),
            Optional.empty(),
            Duration.ofSeconds(10));
    private static final JsonObject HEARTBEAT = DocumentationRecords.record("heartbeat");
    private static final JsonObject CHANGE = DocumentationRecords.record("transfer_first_account");

    private final Dialect dialect;
    private final MockSpanner spanner;
    private final SpannerChangeStreamSource source;

    UndecodableRowIT(Dialect dialect) throws IOException {
        this.dialect = dialect;
        this.spanner = new MockSpanner(dialect);
        spanner.declareStream("Orders", Map.of());
        this.source = SpannerChangeStreamSource.open(spanner.client(), "Orders");
    }

    @AfterEach
    void close() {
        source.close();
        spanner.close();
    }

    private ChangeStreamCursor rows(JsonObject... rows) {
        spanner.answer(
                ChangeStreamStatement.statement(dialect, "Orders", QUERY), WireRows.resultSet(dialect, List.of(rows)));
        return source.query(QUERY);
    }

    private static JsonObject without(JsonObject row, String member) {
        String text = row.toString();
        String renamed = text.replace("\"" + member + "\"", "\"" + member + "_of_the_future\"");
        assertThat(renamed).isNotEqualTo(text);
        return JsonObject.of(renamed);
    }

    private static SourceException failureOf(ChangeStreamCursor cursor) {
        SourceException failure = catchThrowableOfType(SourceException.class, cursor::next);
        assertThat(failure.kind()).isEqualTo(SourceException.Kind.MALFORMED);
        return failure;
    }

    @Test
    void a_change_comes_with_what_can_be_read_of_it_and_the_cursor_reads_on() throws Exception {
        DataChangeRecord intact =
                (DataChangeRecord) ChangeRecordJson.read(CHANGE.toString()).getFirst();
        try (ChangeStreamCursor cursor = rows(CHANGE, without(CHANGE, "record_sequence"), HEARTBEAT)) {
            assertThat(cursor.next()).contains(intact);
            UndecodableChange change = failureOf(cursor).undecodableChange().orElseThrow();
            assertThat(change.commitTimestamp()).contains(intact.commitTimestamp());
            assertThat(change.serverTransactionId()).contains(intact.serverTransactionId());
            assertThat(change.tableName()).contains(intact.tableName());
            assertThat(change.recordSequence()).isEmpty();
            assertThat(JsonObject.of(change.row()).members()).containsKey("data_change_record");
            assertThat(change.row()).contains(intact.serverTransactionId(), "LastUpdate", "is_system_transaction");
            assertThat(cursor.next()).containsInstanceOf(HeartbeatRecord.class);
            assertThat(cursor.next()).isEmpty();
        }
    }

    @Test
    void its_time_may_be_what_cannot_be_read() throws Exception {
        try (ChangeStreamCursor cursor = rows(without(CHANGE, "commit_timestamp"), HEARTBEAT)) {
            assertThat(failureOf(cursor).undecodableChange().orElseThrow().commitTimestamp())
                    .isEmpty();
            assertThat(cursor.next()).containsInstanceOf(HeartbeatRecord.class);
        }
    }

    @Test
    void an_undecodable_row_that_may_name_child_partitions_is_no_change() {
        JsonObject children = JsonObject.of("""
                {"child_partitions_record": {"start_timestamp": "2022-05-01T09:00:01Z", "record_sequence": "1",
                 "child_partitions": [{"parent_partition_tokens": []}]}}""");
        try (ChangeStreamCursor cursor = rows(children)) {
            assertThat(failureOf(cursor).undecodableChange()).isEmpty();
        }
        if (dialect == Dialect.POSTGRESQL) {
            String garbled = without(CHANGE, "commit_timestamp").toString();
            for (String beside :
                    List.of("\"child_partitions_record\": {\"a\": 1}", "\"partition_end_record\": [1]", "\"x\": 1")) {
                String row = garbled.substring(0, garbled.lastIndexOf('}')) + ", " + beside + "}";
                try (ChangeStreamCursor cursor = rows(JsonObject.of(row))) {
                    assertThat(failureOf(cursor).undecodableChange()).as(row).isEmpty();
                }
            }
        }
    }
}

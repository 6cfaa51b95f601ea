package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.spanner.Dialect;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A stream with mutable key ranges, read from google-cloud-spanner's own mock server. */
@ParameterizedClass
@EnumSource
@Timeout(60)
class MutableStreamIT {
    private static final Instant START = Instant.parse("2024-05-01T09:00:00Z");
    private static final Timestamp TIMESTAMP =
            Timestamp.newBuilder().setSeconds(START.getEpochSecond()).build();
    private static final PartitionQuery QUERY = new PartitionQuery(
            new PartitionToken("a"), START, Optional.of(START.plusSeconds(60)), Duration.ofSeconds(10));
    private static final ChangeStreamRecord HEARTBEAT = ChangeStreamRecord.newBuilder()
            .setHeartbeatRecord(ChangeStreamRecord.HeartbeatRecord.newBuilder().setTimestamp(TIMESTAMP))
            .build();

    private final Dialect dialect;
    private final MockSpanner spanner;
    private final SpannerChangeStreamSource source;

    MutableStreamIT(Dialect dialect) throws IOException {
        this.dialect = dialect;
        this.spanner = new MockSpanner(dialect);
        spanner.declareStream("Orders", Map.of("partition_mode", "MUTABLE_KEY_RANGE"));
        this.source = SpannerChangeStreamSource.open(spanner.client(), "Orders");
    }

    @AfterEach
    void close() {
        source.close();
        spanner.close();
    }

    @Test
    void its_records_come_from_the_function_of_the_dialect() throws Exception {
        ChangeStreamRecord start = ChangeStreamRecord.newBuilder()
                .setPartitionStartRecord(ChangeStreamRecord.PartitionStartRecord.newBuilder()
                        .setStartTimestamp(TIMESTAMP)
                        .setRecordSequence("00000000")
                        .addPartitionTokens("b"))
                .build();
        try (ChangeStreamCursor cursor = rows(start, HEARTBEAT)) {
            assertThat(cursor.next()).contains(new PartitionStartRecord(START, "00000000", List.of("b")));
            assertThat(cursor.next()).contains(new HeartbeatRecord(START));
            assertThat(cursor.next()).isEmpty();
        }
        assertThat(spanner.queries().getLast().getSql())
                .contains(
                        switch (dialect) {
                            case GOOGLE_STANDARD_SQL -> "`READ_Orders`(start_timestamp => @startTimestamp, ";
                            case POSTGRESQL -> "\"spanner\".\"read_proto_bytes_Orders\"($1, $2, $3, $4, null)";
                        });
    }

    @Test
    void the_catalog_is_asked_for_the_mode_once() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (ChangeStreamCursor cursor = rows(HEARTBEAT)) {
                assertThat(cursor.next()).isPresent();
            }
        }
        assertThat(source.partitionMode()).isEqualTo(PartitionMode.MUTABLE_KEY_RANGE);
        assertThat(spanner.queries())
                .filteredOn(query -> query.getSql().contains("change_stream_options"))
                .hasSize(1);
    }

    @Test
    void a_change_that_cannot_be_decoded_does_not_end_the_cursor() throws Exception {
        ChangeStreamRecord change = ChangeStreamRecord.newBuilder()
                .setDataChangeRecord(ChangeStreamRecord.DataChangeRecord.newBuilder()
                        .setCommitTimestamp(TIMESTAMP)
                        .setServerTransactionId("t1")
                        .setTable("Orders"))
                .build();
        try (ChangeStreamCursor cursor = rows(change, HEARTBEAT)) {
            SourceException failure = catchThrowableOfType(SourceException.class, cursor::next);
            assertThat(failure.kind()).isEqualTo(SourceException.Kind.MALFORMED);
            assertThat(failure).hasMessageEndingWith("a row cannot be decoded: a change record has no record_sequence");
            assertThat(failure.undecodableChange().orElseThrow().tableName()).contains("Orders");
            assertThat(cursor.next()).contains(new HeartbeatRecord(START));
        }
    }

    private ChangeStreamCursor rows(ChangeStreamRecord... records) {
        List<Value> values = Stream.of(records)
                .map(record -> WireRows.string(Base64.getEncoder().encodeToString(record.toByteArray())))
                .toList();
        spanner.answer(
                ChangeStreamStatement.statement(dialect, PartitionMode.MUTABLE_KEY_RANGE, "Orders", QUERY),
                WireRows.resultSet("ChangeRecord", columnType(), values));
        return source.query(QUERY);
    }

    private Type columnType() {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                Type.newBuilder()
                        .setCode(TypeCode.PROTO)
                        .setProtoTypeFqn("google.spanner.v1.ChangeStreamRecord")
                        .build();
            case POSTGRESQL -> WireRows.type(TypeCode.BYTES);
        };
    }
}

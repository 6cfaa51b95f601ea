package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord;
import com.google.spanner.v1.ChangeStreamRecord.RecordCase;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.control.PartitionControl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams with mutable key ranges, through the real client. */
@Timeout(120)
class MutableKeyRangeIT {
    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.ours();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void clients_see_the_mode_of_a_stream_and_cannot_change_it(Dialect dialect) throws Exception {
        DatabaseId id = create(dialect);
        DatabaseClient database = spanner.connect(id);
        assertThat(EmulatedSpanner.query(
                        database,
                        "SELECT option_value FROM information_schema.change_stream_options WHERE change_stream_name ="
                                + " 'changes' AND option_name = 'partition_mode'"))
                .extracting(row -> row.getString(0))
                .containsExactly("MUTABLE_KEY_RANGE");
        var admin = spanner.client().getDatabaseAdminClient();
        assertThat(admin.getDatabaseDdl(id.getInstanceId().getInstance(), id.getDatabase()))
                .last()
                .asString()
                .contains("partition_mode = 'MUTABLE_KEY_RANGE'");
        String alter = "ALTER CHANGE STREAM changes SET "
                + (dialect == Dialect.POSTGRESQL ? "" : "OPTIONS ")
                + "(partition_mode = 'IMMUTABLE_KEY_RANGE')";
        assertThatThrownBy(() -> admin.updateDatabaseDdl(
                                id.getInstanceId().getInstance(), id.getDatabase(), List.of(alter), null)
                        .get())
                .hasMessageContaining("partition_mode cannot be altered");
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void a_split_and_a_merge_are_read_from_the_initial_query_to_the_ends(Dialect dialect) throws Exception {
        DatabaseId id = create(dialect);
        DatabaseClient database = spanner.connect(id);
        PartitionControl partitions = spanner.partitions(id, "changes");
        Timestamp start = insert(database, 1);
        List<String> first = partitions.live().stream()
                .map(PartitionControl.PartitionView::token)
                .toList();
        String merged = partitions.merge(first.get(0), first.get(1));
        insert(database, 2);
        List<String> split = partitions.split(merged);
        Timestamp end = insert(database, 3);

        assertThat(read(database, dialect, start, end, null).stream()
                        .flatMap(record -> record.getPartitionStartRecord().getPartitionTokensList().stream()))
                .containsExactlyInAnyOrderElementsOf(first);
        List<ChangeStreamRecord> middle =
                read(database, dialect, timestamp(view(partitions, merged).start()), end, merged);
        assertThat(middle)
                .extracting(ChangeStreamRecord::getRecordCase)
                .startsWith(RecordCase.PARTITION_EVENT_RECORD, RecordCase.DATA_CHANGE_RECORD)
                .endsWith(RecordCase.PARTITION_EVENT_RECORD, RecordCase.PARTITION_END_RECORD);
        DataChangeRecord change = middle.get(1).getDataChangeRecord();
        assertThat(change.getTable()).isEqualTo("items");
        assertThat(change.getModType()).isEqualTo(DataChangeRecord.ModType.INSERT);
        assertThat(change.getColumnMetadata(0).getType().getCode()).isEqualTo(TypeCode.INT64);
        assertThat(change.getMods(0).getKeys(0).getValue().getStringValue()).isEqualTo("2");
        assertThat(change.getMods(0).getNewValues(0).getColumnMetadataIndex()).isEqualTo(1);
        assertThat(change.getMods(0).getNewValues(0).getValue().getStringValue())
                .hasSize(100_000);
        List<ChangeStreamRecord> last = new ArrayList<>();
        for (String child : split) {
            last.addAll(
                    read(database, dialect, timestamp(view(partitions, child).start()), end, child));
        }
        assertThat(last)
                .extracting(ChangeStreamRecord::getRecordCase)
                .containsExactlyInAnyOrder(
                        RecordCase.PARTITION_EVENT_RECORD,
                        RecordCase.PARTITION_EVENT_RECORD,
                        RecordCase.DATA_CHANGE_RECORD);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void a_query_without_an_end_is_refused(Dialect dialect) throws Exception {
        DatabaseClient database = spanner.connect(create(dialect));
        Timestamp start = insert(database, 1);
        assertThatThrownBy(() -> read(database, dialect, start, null, null))
                .isInstanceOfSatisfying(
                        SpannerException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("end_timestamp must not be null.");
    }

    private static DatabaseId create(Dialect dialect) throws Exception {
        return dialect == Dialect.POSTGRESQL
                ? spanner.createDatabase(
                        dialect,
                        "CREATE TABLE items (id bigint PRIMARY KEY, name varchar)",
                        "CREATE CHANGE STREAM changes FOR ALL WITH (partition_mode = 'MUTABLE_KEY_RANGE')")
                : spanner.createDatabase(
                        dialect,
                        "CREATE TABLE items (id INT64, name STRING(MAX)) PRIMARY KEY (id)",
                        "CREATE CHANGE STREAM changes FOR ALL OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')");
    }

    private static Timestamp insert(DatabaseClient database, long id) {
        return database.write(List.of(Mutation.newInsertBuilder("items")
                .set("id")
                .to(id)
                .set("name")
                .to("n".repeat(100_000))
                .build()));
    }

    private static PartitionControl.PartitionView view(PartitionControl partitions, String token) {
        return partitions.all().stream()
                .filter(each -> each.token().equals(token))
                .findFirst()
                .orElseThrow();
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }

    private static List<ChangeStreamRecord> read(
            DatabaseClient database, Dialect dialect, Timestamp start, @Nullable Timestamp end, @Nullable String token)
            throws InvalidProtocolBufferException {
        String sql = dialect == Dialect.POSTGRESQL
                ? "SELECT * FROM \"spanner\".\"read_proto_bytes_changes\"($1, $2, $3, $4, null)"
                : "SELECT ChangeRecord FROM READ_changes(@p1, @p2, @p3, @p4)";
        Statement statement = Statement.newBuilder(sql)
                .bind("p1")
                .to(start)
                .bind("p2")
                .to(end)
                .bind("p3")
                .to(token)
                .bind("p4")
                .to(300_000)
                .build();
        List<ChangeStreamRecord> records = new ArrayList<>();
        try (ResultSet results = database.singleUse().executeQuery(statement)) {
            for (Struct row : rows(results)) {
                records.add(
                        dialect == Dialect.POSTGRESQL
                                ? ChangeStreamRecord.parseFrom(row.getBytes(0).toByteArray())
                                : row.getProtoMessage(0, ChangeStreamRecord.getDefaultInstance()));
            }
        }
        return records;
    }
}

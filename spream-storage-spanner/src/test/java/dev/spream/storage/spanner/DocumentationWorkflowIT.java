package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Statement;
import com.google.protobuf.Value;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.TransactionSelector.SelectorCase;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The example records and the query workflow of Spanner's documentation, served by google-cloud-spanner's own mock server:
 * decoder and gate agree with a server that is not ours.
 */
@ParameterizedClass
@EnumSource(Dialect.class)
class DocumentationWorkflowIT {
    private static final Instant START = Instant.parse("2022-05-01T09:00:00Z");
    private static final PartitionToken CHILD_1 = new PartitionToken("child_token_1");
    private static final PartitionToken CHILD_2 = new PartitionToken("child_token_2");
    private static final PartitionToken CHILD_3 = new PartitionToken("child_token_3");
    private static final PartitionToken CHILD_4 = new PartitionToken("child_token_4");

    private static final WorkerId WORKER = new WorkerId("reader");
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final Dialect dialect;
    private final MockSpanner spanner;
    private final SpannerChangeStreamSource source;
    private final PartitionStorage storage = new InMemoryPartitionStorage();

    DocumentationWorkflowIT(Dialect dialect) throws Exception {
        this.dialect = dialect;
        this.spanner = new MockSpanner(dialect);
        spanner.declareStream("SingersNameStream", Map.of());
        this.source = SpannerChangeStreamSource.open(spanner.client(), "SingersNameStream");
    }

    @AfterEach
    void close() {
        source.close();
        spanner.close();
    }

    @Test
    void the_transfer_between_two_accounts_is_read_with_all_its_fields() throws Exception {
        PartitionQuery query = serve(CHILD_1, START, "transfer_first_account", "transfer_second_account");

        List<ChangeRecord> records = read(query);

        assertThat(records)
                .containsExactly(
                        transfer("00000000", "Id1", 1000, "2022-09-26T11:28:00.189413Z"),
                        transfer("00000001", "Id2", 2000, "2022-01-20T11:25:00.199915Z"));
        DataChangeRecord first = (DataChangeRecord) records.getFirst();
        assertThat(first.modType()).isEqualTo(ModType.UPDATE);
        assertThat(first.columnTypes())
                .extracting(column -> column.type().code())
                .containsExactly(TypeCode.STRING, TypeCode.TIMESTAMP, TypeCode.INT64);
    }

    private static DataChangeRecord transfer(String sequence, String account, long balance, String lastUpdate) {
        Instant commit = Instant.parse("2022-09-27T12:30:00.123456Z");
        return new DataChangeRecord(
                commit,
                sequence,
                "6329047911",
                true,
                "AccountBalance",
                List.of(
                        column("AccountId", "STRING", true, 1),
                        column("LastUpdate", "TIMESTAMP", false, 2),
                        column("Balance", "INT", false, 3)),
                List.of(new Mod(
                        JsonObject.of(Map.of("AccountId", account)),
                        JsonObject.of(Map.of("LastUpdate", commit.toString(), "Balance", balance)),
                        JsonObject.of(Map.of("LastUpdate", lastUpdate, "Balance", 1500)))),
                "UPDATE",
                "OLD_AND_NEW_VALUES",
                2,
                2,
                "app=banking,env=prod,action=update",
                false);
    }

    private static ColumnType column(String name, String code, boolean isPrimaryKey, long position) {
        return new ColumnType(name, new SpannerType(JsonObject.of(Map.of("code", code))), isPrimaryKey, position);
    }

    @Test
    void a_system_transaction_and_the_last_record_of_a_transaction_are_told_apart() throws Exception {
        assertThat(read(serve(CHILD_1, START, "system_transaction", "transfer_first_account")))
                .extracting(DataChangeRecord.class::cast)
                .extracting(
                        DataChangeRecord::isSystemTransaction,
                        DataChangeRecord::isLastRecordInTransactionInPartition,
                        DataChangeRecord::transactionTag)
                .containsExactly(tuple(true, false, ""), tuple(false, true, "app=banking,env=prod,action=update"));
    }

    @Test
    void each_value_capture_type_has_the_values_that_it_captures() throws Exception {
        PartitionQuery query =
                serve(CHILD_1, START, "transfer_first_account", "new_values", "new_row", "new_row_and_old_values");

        List<DataChangeRecord> changes =
                read(query).stream().map(DataChangeRecord.class::cast).toList();

        assertThat(changes)
                .extracting(DataChangeRecord::valueCaptureType)
                .containsExactly(
                        ValueCaptureType.OLD_AND_NEW_VALUES,
                        ValueCaptureType.NEW_VALUES,
                        ValueCaptureType.NEW_ROW,
                        ValueCaptureType.NEW_ROW_AND_OLD_VALUES);
        assertThat(changes)
                .extracting(change -> values(change, Mod::newValues))
                .containsExactly("LastUpdate, Balance", "LastUpdate", "LastUpdate, Balance", "LastUpdate, Balance");
        assertThat(changes)
                .extracting(change -> values(change, Mod::oldValues))
                .containsExactly("LastUpdate, Balance", "", "", "LastUpdate");
    }

    private static String values(DataChangeRecord change, Function<Mod, JsonObject> values) {
        return String.join(
                ", ", values.apply(change.mods().getFirst()).members().keySet());
    }

    @Test
    void heartbeats_and_children_are_read() throws Exception {
        PartitionQuery query = serve(CHILD_1, START, "heartbeat", "child_of_two_parents");

        assertThat(read(query))
                .containsExactly(
                        new HeartbeatRecord(Instant.parse("2022-09-27T12:35:00.312486Z")),
                        new ChildPartitionsRecord(
                                Instant.parse("2022-09-27T12:40:00.562986Z"),
                                "00000001",
                                List.of(new ChildPartition(
                                        "child_token_1", List.of("parent_token_1", "parent_token_2")))));
    }

    @Test
    void the_workflow_starts_the_merged_child_after_both_of_its_parents() throws Exception {
        storage.openSubscription(new SubscriptionRecord(
                "SingersNameStream", START, Optional.empty(), HEARTBEAT, PartitionMode.IMMUTABLE_KEY_RANGE, false));
        assertThat(claimable()).containsExactly(PartitionToken.ROOT);

        follow(serve(PartitionToken.ROOT, START, "initial_first", "initial_second"));
        assertThat(claimable()).containsExactly(CHILD_1, CHILD_2, CHILD_3);

        follow(serve(CHILD_2, startOf(CHILD_2), "merge"));
        assertThat(claimable()).as("child 4 waits for child 3").containsExactly(CHILD_1, CHILD_3);

        follow(serve(CHILD_3, startOf(CHILD_3), "merge"));
        assertThat(claimable()).containsExactly(CHILD_1, CHILD_4);
        assertThat(startOf(CHILD_4)).isEqualTo(Instant.parse("2022-05-01T09:30:15Z"));

        assertThat(read(serve(CHILD_4, startOf(CHILD_4), "transfer_first_account")))
                .hasSize(1);
    }

    /** Reads a partition to its end, stores the children that it names, and finishes it. */
    private void follow(PartitionQuery query) throws InterruptedException {
        PartitionLease lease = acquire(query.token());
        List<PartitionToken> named = new ArrayList<>();
        List<ChangeRecord> records = read(query);
        for (ChangeRecord record : records) {
            if (record instanceof ChildPartitionsRecord children) {
                assertThat(storage.addChildren(lease, children)).isTrue();
                children.childPartitions().forEach(child -> named.add(new PartitionToken(child.token())));
            }
        }
        Instant end = records.getLast().timestamp();
        assertThat(storage.finish(lease, end, PartitionEnd.childPartitions(end, named)))
                .isTrue();
    }

    private PartitionLease acquire(PartitionToken token) {
        PartitionClaim claim =
                PartitionClaim.of(storage.lineage().partition(token).orElseThrow());
        PartitionLease lease =
                storage.acquire(WORKER, List.of(claim), Duration.ofMinutes(1)).getFirst();
        assertThat(storage.markRunning(lease)).isTrue();
        return lease;
    }

    private List<PartitionToken> claimable() {
        return storage.lineage().claimable().stream()
                .map(PartitionMetadata::token)
                .toList();
    }

    private Instant startOf(PartitionToken token) {
        return storage.lineage().partition(token).orElseThrow().startTimestamp();
    }

    @Test
    @Timeout(30) // a query that the server does not know is repeated without end
    void a_subscriber_delivers_the_documented_changes_and_reads_the_merged_child_after_its_parents() throws Exception {
        Instant end = Instant.parse("2022-09-28T00:00:00Z");
        Instant split = Instant.parse("2022-05-01T09:00:01Z");
        Instant merge = Instant.parse("2022-05-01T09:30:15Z");
        Instant commit = Instant.parse("2022-09-27T12:30:00.123456Z");
        Instant heartbeat = Instant.parse("2022-09-27T12:35:00.312486Z");
        answerClock();
        serve(PartitionToken.ROOT, START, Optional.of(end), "initial_first", "initial_second");
        serve(CHILD_2, split, Optional.of(end), "merge");
        serve(CHILD_3, split, Optional.of(end), "merge");
        serve(CHILD_4, merge, Optional.of(end), "transfer_first_account", "heartbeat");
        serve(CHILD_1, split, Optional.of(end), "transfer_second_account");
        // A bounded query that ended is repeated from the last record on, to prove that it ended at the end timestamp.
        serve(CHILD_4, heartbeat, Optional.of(end), "heartbeat");
        serve(CHILD_1, commit, Optional.of(end), "transfer_second_account");
        List<DataChangeRecord> delivered = Collections.synchronizedList(new ArrayList<>());

        CompletionReason result;
        try (Subscriber subscriber = Subscriber.builder(source, storage)
                .options(SubscriberOptions.builder()
                        .startAt(START)
                        .endAt(end)
                        .heartbeatInterval(HEARTBEAT)
                        .build())
                .build()) {
            result = subscriber.run((change, delivery) -> delivered.add(change));
        }

        assertThat(result).isEqualTo(CompletionReason.COMPLETED);
        assertThat(delivered)
                .containsExactlyInAnyOrder(
                        transfer("00000000", "Id1", 1000, "2022-09-26T11:28:00.189413Z"),
                        transfer("00000001", "Id2", 2000, "2022-01-20T11:25:00.199915Z"));
        List<String> tokens = spanner.queries().stream()
                .filter(request -> request.getSql().equals(text()))
                .map(request -> arguments(request).get("partition_token"))
                .toList();
        assertThat(tokens)
                .containsExactlyInAnyOrder(
                        "null", // whether the server accepts the start
                        "null",
                        "child_token_1",
                        "child_token_1",
                        "child_token_2",
                        "child_token_3",
                        "child_token_4",
                        "child_token_4");
        assertThat(tokens.indexOf("child_token_4"))
                .isGreaterThan(Math.max(tokens.indexOf("child_token_2"), tokens.indexOf("child_token_3")));
    }

    /** The clock of the database has passed the end of the examples. */
    private void answerClock() {
        Value now = WireRows.string("2022-10-01T00:00:00Z");
        spanner.answer(
                Statement.of("SELECT CURRENT_TIMESTAMP"),
                WireRows.resultSet("now", WireRows.type(com.google.spanner.v1.TypeCode.TIMESTAMP), List.of(now)));
    }

    @Test
    void the_query_has_the_documented_text_and_arguments() throws Exception {
        Instant end = Instant.parse("2022-05-02T09:00:00Z");
        read(serve(CHILD_1, START, Optional.of(end), "heartbeat"));
        ExecuteSqlRequest ofChild = spanner.queries().getLast();
        read(serve(PartitionToken.ROOT, START, "initial_first"));
        ExecuteSqlRequest ofRoot = spanner.queries().getLast();

        assertThat(arguments(ofChild))
                .isEqualTo(Map.of(
                        "start_timestamp", "2022-05-01T09:00:00Z",
                        "end_timestamp", "2022-05-02T09:00:00Z",
                        "partition_token", "child_token_1",
                        "heartbeat_milliseconds", "10000"));
        assertThat(arguments(ofRoot))
                .isEqualTo(Map.of(
                        "start_timestamp", "2022-05-01T09:00:00Z",
                        "end_timestamp", "null",
                        "partition_token", "null",
                        "heartbeat_milliseconds", "10000"));
        // No selector at all is a single-use, strong, read-only transaction, and nothing else is allowed here.
        assertThat(ofChild.getTransaction().getSelectorCase()).isEqualTo(SelectorCase.SELECTOR_NOT_SET);
    }

    /** The arguments of a query by the names of the documentation, which the order decides in PostgreSQL. */
    private Map<String, String> arguments(ExecuteSqlRequest request) {
        assertThat(request.getSql()).isEqualTo(text());
        Map<String, String> arguments = new HashMap<>();
        parameters()
                .forEach((argument, parameter) ->
                        arguments.put(argument, value(request.getParams().getFieldsOrThrow(parameter))));
        assertThat(request.getParams().getFieldsCount()).isEqualTo(arguments.size());
        return arguments;
    }

    private static String value(Value value) {
        return value.hasNullValue() ? "null" : value.getStringValue();
    }

    private String text() {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                "SELECT ChangeRecord FROM `READ_SingersNameStream`("
                        + "start_timestamp => @startTimestamp, end_timestamp => @endTimestamp, "
                        + "partition_token => @partitionToken, heartbeat_milliseconds => @heartbeatMillis)";
            case POSTGRESQL -> "SELECT * FROM \"spanner\".\"read_json_SingersNameStream\"($1, $2, $3, $4, null)";
        };
    }

    private Map<String, String> parameters() {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                Map.of(
                        "start_timestamp", "startTimestamp",
                        "end_timestamp", "endTimestamp",
                        "partition_token", "partitionToken",
                        "heartbeat_milliseconds", "heartbeatMillis");
            case POSTGRESQL ->
                Map.of(
                        "start_timestamp", "p1",
                        "end_timestamp", "p2",
                        "partition_token", "p3",
                        "heartbeat_milliseconds", "p4");
        };
    }

    private PartitionQuery serve(PartitionToken token, Instant start, String... records) {
        return serve(token, start, Optional.empty(), records);
    }

    /** Tells the server the answer to the documented query; it knows no other. */
    private PartitionQuery serve(PartitionToken token, Instant start, Optional<Instant> end, String... records) {
        Statement query = Statement.newBuilder(text())
                .bind(parameters().get("start_timestamp"))
                .to(Timestamps.toTimestamp(start))
                .bind(parameters().get("end_timestamp"))
                .to(end.map(Timestamps::toTimestamp).orElse(null))
                .bind(parameters().get("partition_token"))
                .to(token.isRoot() ? null : token.value())
                .bind(parameters().get("heartbeat_milliseconds"))
                .to(HEARTBEAT.toMillis())
                .build();
        List<JsonObject> rows =
                Stream.of(records).map(DocumentationRecords::record).toList();
        spanner.answer(query, WireRows.resultSet(dialect, rows));
        return new PartitionQuery(token, start, end, HEARTBEAT);
    }

    private List<ChangeRecord> read(PartitionQuery query) throws InterruptedException {
        List<ChangeRecord> records = new ArrayList<>();
        try (ChangeStreamCursor cursor = source.query(query)) {
            for (Optional<ChangeRecord> record = cursor.next(); record.isPresent(); record = cursor.next()) {
                records.add(record.get());
            }
        }
        return records;
    }
}

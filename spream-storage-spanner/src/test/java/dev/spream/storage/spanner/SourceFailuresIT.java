package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.MockSpannerServiceImpl.SimulatedExecutionTime;
import com.google.cloud.spanner.Statement;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a reader whose query fails, hangs or is cancelled, on google-cloud-spanner's own mock server. */
@Timeout(60)
class SourceFailuresIT {
    private static final Dialect DIALECT = Dialect.GOOGLE_STANDARD_SQL;
    private static final String STREAM = "Orders";
    private static final PartitionQuery QUERY = new PartitionQuery(
            new PartitionToken("child_token_1"),
            Instant.parse("2022-05-01T09:00:00Z"),
            Optional.empty(),
            Duration.ofSeconds(10));
    private static final Statement STATEMENT = ChangeStreamStatement.statement(DIALECT, STREAM, QUERY);

    private static final Statement STREAMS = Statement.of(
            "select change_stream_name from information_schema.change_streams order by change_stream_name");

    private MockSpanner spanner;
    private SpannerChangeStreamSource source;

    @BeforeEach
    void open() throws IOException {
        spanner = new MockSpanner(DIALECT);
        source = SpannerChangeStreamSource.open(spanner.client(), STREAM);
        spanner.answer(
                STATEMENT,
                WireRows.resultSet(
                        DIALECT,
                        List.of(
                                DocumentationRecords.record("transfer_first_account"),
                                DocumentationRecords.record("heartbeat"))));
    }

    @AfterEach
    void close() {
        source.close();
        spanner.close();
    }

    @Test
    void an_error_of_the_query_names_the_partition_and_what_the_server_said() {
        spanner.fail(
                STATEMENT,
                Status.OUT_OF_RANGE.withDescription(
                        "Specified start_timestamp is too far in the past. Received start_timestamp: x"));

        SourceException e = failureOfNext();

        assertThat(e.kind()).isEqualTo(Kind.RETENTION_LOST);
        assertThat(e)
                .hasMessageStartingWith("reading partition …_token_1 of change stream Orders from 2022-05-01T09:00:00Z "
                        + "failed: OUT_OF_RANGE: Specified start_timestamp is too far in the past.");
    }

    @Test
    void a_stream_that_breaks_is_not_resumed_behind_the_readers_back() throws Exception {
        spanner.service.setExecuteStreamingSqlExecutionTime(SimulatedExecutionTime.ofStreamException(
                Status.UNAVAILABLE.withDescription("the connection broke").asRuntimeException(), 1));
        try (ChangeStreamCursor cursor = source.query(QUERY)) {
            SourceException e = catchThrowableOfType(SourceException.class, () -> drain(cursor));

            assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(e).hasMessageContaining("UNAVAILABLE: the connection broke");
        }
        assertThat(spanner.queries())
                .filteredOn(query -> query.getSql().contains("READ_Orders"))
                .hasSize(1);
    }

    @Test
    void a_client_that_was_closed_is_no_reason_to_try_again() {
        try (ChangeStreamCursor cursor = source.query(QUERY)) {
            spanner.close();
            SourceException e = catchThrowableOfType(SourceException.class, () -> drain(cursor));

            assertThat(e.kind()).isEqualTo(Kind.FATAL);
            assertThat(e).hasMessageContaining("closed");
        }
    }

    @Test
    void the_hour_that_the_client_gives_a_query_is_a_break_like_any_other() {
        spanner.fail(STATEMENT, Status.DEADLINE_EXCEEDED.withDescription("deadline exceeded after 3600s"));
        assertThat(failureOfNext().kind()).isEqualTo(Kind.TRANSIENT);
    }

    @Test
    void closing_wakes_a_reader_and_cancels_the_query_at_the_server() throws Exception {
        ChangeStreamCursor cursor = hangingQuery();
        CompletableFuture<Throwable> failure = readInBackground(cursor);

        cursor.close();

        assertCancelled(failure.get(30, SECONDS));
        assertThat(spanner.queryCancelled.await(30, SECONDS)).isTrue();
    }

    @Test
    void closing_the_source_cancels_what_is_open() throws Exception {
        CompletableFuture<Throwable> failure = readInBackground(hangingQuery());

        source.close();

        assertCancelled(failure.get(30, SECONDS));
        assertThat(spanner.queryCancelled.await(30, SECONDS)).isTrue();
    }

    @Test
    void an_interrupt_ends_a_read_and_the_query_at_the_server() throws Exception {
        ChangeStreamCursor cursor = hangingQuery();
        var failure = new CompletableFuture<Throwable>();
        Thread reader = Thread.ofVirtual().start(() -> failure.complete(catchThrowable(cursor::next)));
        assertThat(spanner.queryArrived.await(30, SECONDS)).isTrue();

        reader.interrupt();

        assertThat(failure.get(30, SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(spanner.queryCancelled.await(30, SECONDS)).isTrue();
    }

    @Test
    void a_closed_cursor_and_a_closed_source_read_nothing() {
        ChangeStreamCursor cursor = source.query(QUERY);
        cursor.close();
        cursor.close();
        assertCancelled(catchThrowable(cursor::next));

        source.close();
        assertCancelled(catchThrowable(source.query(QUERY)::next));
    }

    @Test
    void closing_at_any_moment_ends_a_reader_in_one_of_two_ways() throws Exception {
        for (int round = 0; round < 200; round++) {
            ChangeStreamCursor cursor = source.query(QUERY);
            var outcome = new CompletableFuture<@Nullable Throwable>();
            Thread.ofVirtual().start(() -> outcome.complete(catchThrowable(() -> drain(cursor))));
            LockSupport.parkNanos(round * 10_000L);

            cursor.close();

            Throwable failure = outcome.get(30, SECONDS);
            if (failure != null) {
                assertCancelled(failure);
            }
        }
    }

    /** The dialect is asked for first, so that the next query to arrive is that of the cursor. */
    private ChangeStreamCursor hangingQuery() {
        ChangeStreamCursor cursor = source.query(QUERY);
        spanner.service.freeze();
        spanner.watchNextQuery();
        return cursor;
    }

    private CompletableFuture<Throwable> readInBackground(ChangeStreamCursor cursor) throws InterruptedException {
        var failure = new CompletableFuture<Throwable>();
        Thread.ofVirtual().start(() -> failure.complete(catchThrowable(cursor::next)));
        assertThat(spanner.queryArrived.await(30, SECONDS)).isTrue();
        return failure;
    }

    private static void assertCancelled(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CANCELLED));
    }

    @Test
    void a_row_that_cannot_be_understood_is_malformed() {
        spanner.answer(
                STATEMENT, WireRows.resultSet("n", WireRows.type(TypeCode.INT64), List.of(WireRows.string("1"))));
        assertThat(failureOfNext().kind()).isEqualTo(Kind.MALFORMED);
    }

    @Test
    void a_partition_mode_is_read_from_the_streams_options() {
        answerStreams("Orders");
        answerOption("partition_mode", "MUTABLE_KEY_RANGE");
        assertThat(source.partitionMode()).isEqualTo(PartitionMode.MUTABLE_KEY_RANGE);
    }

    @Test
    void a_partition_mode_of_the_future_is_refused() {
        answerStreams("Orders");
        answerOption("partition_mode", "QUANTUM");
        SourceException e = catchThrowableOfType(SourceException.class, source::partitionMode);
        assertThat(e.kind()).isEqualTo(Kind.FATAL);
        assertThat(e).hasMessageContaining("partition mode QUANTUM");
    }

    @Test
    void a_retention_period_in_a_form_of_the_future_is_unknown() {
        answerOption("retention_period", "2w");
        assertThat(source.retention()).isEmpty();
        answerOption("retention_period", "14d");
        assertThat(source.retention()).contains(Duration.ofDays(14));
    }

    @Test
    void a_database_without_change_streams_says_so() {
        answerStreams();
        SourceException e = catchThrowableOfType(SourceException.class, source::partitionMode);
        assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(e).hasMessageContaining("no change stream that this user may read");
    }

    @Test
    void missing_permission_shows_with_the_first_question() {
        spanner.fail(STREAMS, Status.PERMISSION_DENIED.withDescription("Caller is missing IAM permission x"));
        SourceException e = catchThrowableOfType(SourceException.class, source::partitionMode);
        assertThat(e.kind()).isEqualTo(Kind.PERMISSION_DENIED);
        assertThat(e).hasMessageContaining("Caller is missing IAM permission x").hasMessageContaining("EXECUTE");
    }

    @Test
    void a_question_that_is_not_answered_fails_in_time_with_the_last_failure_of_the_connection() {
        spanner.service.setExecuteStreamingSqlExecutionTime(SimulatedExecutionTime.ofStickyException(
                Status.UNAVAILABLE.withDescription("no server").asRuntimeException()));
        try (var impatient = SpannerChangeStreamSource.builder(spanner.client(), "Orders")
                .connectTimeout(Duration.ofSeconds(1))
                .build()) {
            SourceException e = catchThrowableOfType(SourceException.class, impatient::serverTime);
            assertThat(e.kind()).isEqualTo(Kind.TRANSIENT);
            assertThat(e).hasMessageContaining("no answer within 1 s: UNAVAILABLE: no server");
        }
    }

    private void answerStreams(String... names) {
        spanner.answer(STREAMS, strings("change_stream_name", names));
    }

    private void answerOption(String option, String value) {
        Statement options = Statement.newBuilder("select option_value from information_schema.change_stream_options"
                        + " where option_name = '%s' and change_stream_name = @changeStreamName".formatted(option))
                .bind("changeStreamName")
                .to("Orders")
                .build();
        spanner.answer(options, strings("option_value", value));
    }

    private static ResultSet strings(String column, String... values) {
        return WireRows.resultSet(
                column,
                WireRows.type(TypeCode.STRING),
                Stream.of(values).map(WireRows::string).toList());
    }

    private SourceException failureOfNext() {
        try (ChangeStreamCursor cursor = source.query(QUERY)) {
            return catchThrowableOfType(SourceException.class, cursor::next);
        }
    }

    private static void drain(ChangeStreamCursor cursor) throws InterruptedException {
        Optional<ChangeRecord> record = cursor.next();
        while (record.isPresent()) {
            record = cursor.next();
        }
    }
}

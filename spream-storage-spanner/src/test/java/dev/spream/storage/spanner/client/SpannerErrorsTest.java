package dev.spream.storage.spanner.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.ErrorCode;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import io.grpc.Status;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SpannerErrorsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UNAVAILABLE         | io exception                                                        | TRANSIENT
            UNAVAILABLE         | Connection closed after GOAWAY. HTTP/2 error code: NO_ERROR         | TRANSIENT
            DEADLINE_EXCEEDED   | deadline exceeded after 3599.999s                                   | TRANSIENT
            RESOURCE_EXHAUSTED  | Too many requests                                                   | TRANSIENT
            INTERNAL            | Received unexpected EOS on DATA frame from server                   | TRANSIENT
            ABORTED             | Transaction was aborted                                             | TRANSIENT
            CANCELLED           | RST_STREAM closed stream                                            | TRANSIENT
            UNKNOWN             | Stream removed                                                      | TRANSIENT
            NOT_FOUND           | Session not found: projects/p/instances/i/databases/d/sessions/s    | FATAL
            NOT_FOUND           | Database not found: projects/p/instances/i/databases/d              | NOT_FOUND
            INVALID_ARGUMENT    | Table-valued function not found: READ_Orders [at 1:15]              | NOT_FOUND
            INVALID_ARGUMENT    | Specified partition_token is invalid, as it does not belong to the Change Stream associated with the TVF. Received partition_token: t. | NOT_FOUND
            NOT_FOUND           | Change Stream not found: Orders                                     | NOT_FOUND
            INVALID_ARGUMENT    | function spanner.read_json_Orders(timestamp with time zone) does not exist | NOT_FOUND
            INVALID_ARGUMENT    | If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received start_timestamp: s, end_timestamp: e. | FATAL
            INVALID_ARGUMENT    | start_timestamp must not be null.                                   | FATAL
            INVALID_ARGUMENT    | end_timestamp must not be null.                                     | FATAL
            INVALID_ARGUMENT    | heartbeat_milliseconds must not be null.                            | FATAL
            INVALID_ARGUMENT    | Invalid argument of change stream TVF READ_Orders. Argument 1 is not a literal or parameter. Implicit type conversions are not supported. | FATAL
            INVALID_ARGUMENT    | Change stream queries must be strong reads executed via single use transactions using the ExecuteStreamingSql API | FATAL
            OUT_OF_RANGE        | Specified start_timestamp is too far in the past. Received: t       | RETENTION_LOST
            OUT_OF_RANGE        | This partition is no longer valid. All Change Stream records associated with this partition have expired and have been deleted, as specified by the Change Stream retention period. | PARTITION_EXPIRED
            OUT_OF_RANGE        | Specified start_timestamp is invalid for the partition. Please specify a start_timestamp within a and b. | OUTSIDE_PARTITION
            OUT_OF_RANGE        | Specified start_timestamp is too far in the future. Received: t     | START_IN_FUTURE
            OUT_OF_RANGE        | heartbeat_milliseconds must be within min 100 and max 300000. Received heartbeat_milliseconds: 1. | FATAL
            OUT_OF_RANGE        | Specified end_timestamp is too far after the start_timestamp        | FATAL
            OUT_OF_RANGE        | Specified end_timestamp is too far in the future. Please specify an end_timestamp within the earliest start timestamp: s, and the current maximum end timestamp: e. Received end_timestamp: t. | FATAL
            OUT_OF_RANGE        | A reason that nobody knows yet                                      | FATAL
            PERMISSION_DENIED   | Caller is missing IAM permission spanner.databases.select           | PERMISSION_DENIED
            UNAUTHENTICATED     | Request had invalid authentication credentials                      | PERMISSION_DENIED
            FAILED_PRECONDITION | The database is being restored                                      | FATAL
            UNIMPLEMENTED       | read_options must be null.                                          | FATAL
            UNIMPLEMENTED       | Change stream TVF must not be combined with any other SQL statements. | FATAL
            DATA_LOSS           | broken                                                              | FATAL
            """)
    void the_code_and_the_text_say_what_an_error_means(ErrorCode code, String text, Kind kind) {
        Status status = Status.fromCodeValue(code.getGrpcStatusCode().value()).withDescription(text);

        SourceException e = SpannerErrors.sourceException("reading", status.asRuntimeException());

        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e).hasMessageStartingWith("reading failed: " + code + ": " + text + "; ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            INVALID_ARGUMENT | end_timestamp must not be null.
            OUT_OF_RANGE     | Specified end_timestamp is too far in the future.
            """)
    void a_query_without_a_near_end_comes_with_advice_for_mutable_key_ranges(ErrorCode code, String text) {
        Status status = Status.fromCodeValue(code.getGrpcStatusCode().value()).withDescription(text);

        assertThat(SpannerErrors.sourceException("reading", status.asRuntimeException()))
                .hasMessage(
                        "reading failed: %s: %s; a stream with mutable key ranges is read in windows: a query of it"
                                + " needs an end, at most 30 minutes after its start",
                        code, text);
    }

    @ParameterizedTest
    @EnumSource
    void no_error_is_mistaken_for_our_own_cancel_or_for_nothing(ErrorCode code) {
        assertThat(SpannerErrors.kind(code, "")).isNotIn(Kind.CANCELLED, Kind.MALFORMED);
    }

    @Test
    void a_message_has_one_line() {
        assertThat(SpannerErrors.sourceException(
                        "connecting",
                        Status.UNAVAILABLE
                                .withDescription("no emulator.\nDid you start it?")
                                .asRuntimeException()))
                .hasMessage("connecting failed: UNAVAILABLE: no emulator. Did you start it?; a retry may succeed");
    }

    @Test
    void the_end_of_a_partition_is_read_from_the_text() {
        assertThat(outsidePartition(
                                "2024-05-01T09:00:00Z and 2024-05-01T09:30:00.123456789Z. Received start_timestamp: x.")
                        .validUntil())
                .hasValue(Instant.parse("2024-05-01T09:30:00.123456789Z"));
        assertThat(outsidePartition("2024-05-01T09:00:00+00:00 and 2024-05-01T09:30:00.5+00:00")
                        .validUntil())
                .hasValue(Instant.parse("2024-05-01T09:30:00.500Z"));
    }

    @Test
    void an_end_is_read_from_no_other_error() {
        SourceException e = SpannerErrors.sourceException(
                "reading",
                Status.OUT_OF_RANGE
                        .withDescription(
                                "Please specify a timestamp within 2024-05-01T09:00:00Z and 2024-05-01T09:30:00Z.")
                        .asRuntimeException());
        assertThat(e.kind()).isEqualTo(Kind.FATAL);
        assertThat(e.validUntil()).isEmpty();
    }

    @Test
    void an_end_that_cannot_be_read_is_left_out() {
        assertThat(outsidePartition("2024-05-01T09:00:00+00:00 and infinite-future. Received start_timestamp: x.")
                        .validUntil())
                .as("the partition lives")
                .isEmpty();
        assertThat(outsidePartition("the beginning and the-end.").validUntil()).isEmpty();
        assertThat(outsidePartition("").validUntil()).isEmpty();
    }

    private static SourceException outsidePartition(String range) {
        return SpannerErrors.sourceException(
                "reading",
                Status.OUT_OF_RANGE
                        .withDescription("Specified start_timestamp is invalid for the partition. "
                                + "Please specify a start_timestamp within " + range)
                        .asRuntimeException());
    }
}

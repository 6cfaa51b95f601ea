package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.withHeartbeat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class QueryErrorTest {
    private final DrivenClock time = DrivenClock.startingAt(T0);
    private final StreamRig rig = new StreamRig(time, 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none());

    @BeforeEach
    void create() {
        rig.ddl("CREATE CHANGE STREAM S FOR ALL OPTIONS (retention_period = '1d')");
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void a_null_start_is_invalid() throws Exception {
        refuses(query(null, null, null), Status.Code.INVALID_ARGUMENT, "start_timestamp must not be null.");
    }

    @Test
    void a_null_heartbeat_is_invalid() throws Exception {
        refuses(
                withHeartbeat(query(null, T0, null), null),
                Status.Code.INVALID_ARGUMENT,
                "heartbeat_milliseconds must not be null.");
    }

    @Test
    void heartbeats_below_100_and_above_300000_are_out_of_range() throws Exception {
        String text = "heartbeat_milliseconds must be within min 100 and max 300000. Received heartbeat_milliseconds: ";
        refuses(withHeartbeat(query(null, T0, null), 99L), Status.Code.OUT_OF_RANGE, text + "99.");
        refuses(withHeartbeat(query(null, T0, null), 300_001L), Status.Code.OUT_OF_RANGE, text + "300001.");
        assertThat(rig.ask(withHeartbeat(query(null, T0, null), 100L)).awaitEnd())
                .isEqualTo(Status.OK);
        assertThat(rig.ask(withHeartbeat(query(null, T0, null), 300_000L)).awaitEnd())
                .isEqualTo(Status.OK);
    }

    @Test
    void read_options_are_not_implemented() throws Exception {
        ChangeStreamQuery query = new ChangeStreamQuery("S", "READ_S", T0, null, null, 1000L, true, ByteString.EMPTY);
        refuses(query, Status.Code.UNIMPLEMENTED, "read_options must be null.");
    }

    @Test
    void a_start_before_the_stream_was_created_is_too_old() throws Exception {
        refuses(
                query(null, T0.minusSeconds(1), null),
                Status.Code.OUT_OF_RANGE,
                "Specified start_timestamp is too far in the past. Please specify a start_timestamp within the earliest"
                        + " read timestamp: 2026-01-01T00:00:00+00:00. Received start_timestamp:"
                        + " 2025-12-31T23:59:59+00:00.");
    }

    @Test
    void a_start_before_the_retention_period_is_too_old_and_its_data_are_dropped() throws Exception {
        String token = rig.onlyToken();
        for (int i = 0; i < 600; i++) {
            rig.commit(insertOrder(i));
        }
        time.advance(Duration.ofHours(25));
        Instant late = rig.commit(insertOrder(1000));

        refuses(query(token, T0, null), Status.Code.OUT_OF_RANGE, "too far in the past");
        assertThat(rig.streams.definitions().getFirst().options().declared()).containsEntry("retention_period", "1d");
        assertThat(data(rig.ask(query(token, late.minus(Duration.ofHours(24)), late))
                        .rows()))
                .hasSize(1);
    }

    @Test
    void a_longer_retention_period_keeps_older_starts_valid() throws Exception {
        rig.ddl("ALTER CHANGE STREAM S SET OPTIONS (retention_period = '2d')");
        time.advance(Duration.ofHours(25));
        assertThat(rig.ask(query(null, T0, null)).awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void a_partition_that_ended_before_the_retention_period_has_expired_as_a_whole() throws Exception {
        String token = rig.onlyToken();
        rig.partitions().move(token);
        time.advance(Duration.ofHours(25));
        refuses(query(token, T0, null), Status.Code.OUT_OF_RANGE, "This partition is no longer valid.");
    }

    @Test
    void a_start_more_than_ten_minutes_ahead_is_too_far_in_the_future() throws Exception {
        refuses(
                query(null, T0.plusSeconds(601), null),
                Status.Code.OUT_OF_RANGE,
                "Specified start_timestamp is too far in the future. Please specify a start_timestamp within the earliest"
                        + " read timestamp: 2026-01-01T00:00:00+00:00, and the current maximum start timestamp:"
                        + " 2026-01-01T00:10:00+00:00. Received start_timestamp: 2026-01-01T00:10:01+00:00.");
    }

    @Test
    void a_start_after_the_end_is_invalid() throws Exception {
        refuses(
                query(null, T0.plusSeconds(1), T0),
                Status.Code.INVALID_ARGUMENT,
                "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received start_timestamp:"
                        + " 2026-01-01T00:00:01+00:00, end_timestamp: 2026-01-01T00:00:00+00:00.");
    }

    @Test
    void a_token_of_another_stream_or_of_a_stream_of_that_name_before_is_invalid() throws Exception {
        String token = rig.onlyToken();
        rig.ddl("DROP CHANGE STREAM S");
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        Instant start = rig.partitions().live().getFirst().start();
        String text =
                "Specified partition_token is invalid, as it does not belong to the Change Stream associated with the"
                        + " TVF. Received partition_token: ";
        refuses(query(token, start, null), Status.Code.INVALID_ARGUMENT, text + token + ".");
        refuses(query("zzz", start, null), Status.Code.INVALID_ARGUMENT, text + "zzz.");
    }

    @Test
    void a_start_outside_the_life_of_the_partition_is_out_of_range() throws Exception {
        String first = rig.onlyToken();
        time.advance(Duration.ofSeconds(1));
        String second = rig.partitions().move(first);
        time.advance(Duration.ofSeconds(1));
        refuses(
                query(first, T0.plusSeconds(2), null),
                Status.Code.OUT_OF_RANGE,
                "Specified start_timestamp is invalid for the partition. Please specify a start_timestamp within"
                        + " 2026-01-01T00:00:00+00:00 and 2026-01-01T00:00:01+00:00. Received start_timestamp:"
                        + " 2026-01-01T00:00:02+00:00.");
        refuses(
                query(second, T0, null),
                Status.Code.OUT_OF_RANGE,
                "within 2026-01-01T00:00:01+00:00 and infinite-future.");
    }

    @Test
    void a_stream_that_is_gone_is_not_found() throws Exception {
        rig.ddl("DROP CHANGE STREAM S");
        refuses(query(null, T0, null), Status.Code.NOT_FOUND, "Change Stream not found: S");
    }

    private void refuses(ChangeStreamQuery query, Status.Code code, String text) throws Exception {
        RowCollector out = rig.ask(query);
        assertThat(out.awaitEnd().getCode()).isEqualTo(code);
        assertThat(out.awaitEnd().getDescription()).contains(text);
        assertThat(out.rows()).isEmpty();
    }
}

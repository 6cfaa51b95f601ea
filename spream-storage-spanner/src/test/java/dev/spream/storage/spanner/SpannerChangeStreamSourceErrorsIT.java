package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import dev.spream.servers.SpannerServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
class SpannerChangeStreamSourceErrorsIT {
    private final AccountDatabase database;
    private final ChangeStreamSource source;

    SpannerChangeStreamSourceErrorsIT(SpannerServer server, Dialect dialect) {
        this.database = new AccountDatabase(server, dialect);
        this.source = database.source();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void the_servers_time_is_the_present() {
        assertThat(source.serverTime()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
    }

    @Test
    void the_partition_mode_is_immutable() {
        assertThat(source.partitionMode()).isEqualTo(PartitionMode.IMMUTABLE_KEY_RANGE);
    }

    @Test
    void a_missing_stream_is_named_together_with_those_that_exist() {
        try (var missing = SpannerChangeStreamSource.open(database.client(), "OrderStream")) {
            assertFails(missing::partitionMode, Kind.NOT_FOUND)
                    .hasMessageContaining("change stream OrderStream not found: the database has AccountStream");
            assertFails(missing::retention, Kind.NOT_FOUND);
        }
        try (var lowerCase = SpannerChangeStreamSource.open(database.client(), "accountstream")) {
            assertFails(lowerCase::partitionMode, Kind.NOT_FOUND).hasMessageContaining("did you mean AccountStream?");
        }
    }

    @Test
    void a_query_of_a_missing_stream_says_so_too() {
        try (var missing = SpannerChangeStreamSource.open(database.client(), "OrderStream")) {
            assertFails(
                    () -> {
                        try (var cursor =
                                missing.query(AccountDatabase.unbounded(PartitionToken.ROOT, Instant.now()))) {
                            cursor.next();
                        }
                    },
                    Kind.NOT_FOUND);
        }
    }

    @Test
    void a_missing_database_is_not_found() {
        var missing =
                new DatabaseName(database.name().project(), database.name().instance(), "no-such-database");
        try (SpannerConnection elsewhere = database.connect(missing);
                var lost = SpannerChangeStreamSource.open(elsewhere.client(), "AccountStream")) {
            assertFails(lost::partitionMode, Kind.NOT_FOUND).hasMessageContaining("no-such-database");
        }
    }

    @Test
    void a_start_before_retention_is_lost() {
        Instant lost = source.serverTime().minus(Duration.ofDays(40));
        assertFails(
                () -> StreamWalk.records(source, AccountDatabase.unbounded(PartitionToken.ROOT, lost)),
                Kind.RETENTION_LOST);
    }

    @Test
    void a_start_far_ahead_is_in_the_future() {
        Instant future = source.serverTime().plus(Duration.ofDays(1));
        assertFails(
                () -> StreamWalk.records(source, AccountDatabase.unbounded(PartitionToken.ROOT, future)),
                Kind.START_IN_FUTURE);
    }

    @Test
    void a_token_of_nowhere_is_not_found() {
        Instant now = source.serverTime();
        assertFails(
                () -> StreamWalk.records(source, AccountDatabase.unbounded(new PartitionToken("nowhere"), now)),
                Kind.NOT_FOUND);
    }

    @Test
    void a_start_after_the_partitions_end_is_outside_and_the_end_is_known() throws Exception {
        PartitionQuery child = database.childOfRoot(source.serverTime());
        Instant end = StreamWalk.records(source, child).getLast().timestamp();
        PartitionQuery late = AccountDatabase.unbounded(child.token(), end.plusMillis(1));

        SourceException e = catchThrowableOfType(SourceException.class, () -> StreamWalk.records(source, late));

        assertThat(e.kind()).isEqualTo(Kind.OUTSIDE_PARTITION);
        assertThat(e.validUntil())
                .hasValueSatisfying(until -> assertThat(until).isCloseTo(end, within(1, ChronoUnit.SECONDS)));
    }

    private static AbstractThrowableAssert<?, ?> assertFails(ThrowingCallable call, Kind kind) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SourceException.class,
                        e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind));
    }
}

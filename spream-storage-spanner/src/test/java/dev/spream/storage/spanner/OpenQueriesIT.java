package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More queries than one connection carries: our emulator takes 100 calls on each, as Spanner does. */
@Timeout(120)
class OpenQueriesIT {
    private static final DatabaseName DATABASE = new DatabaseName("p", "i", "d");

    private SpannerEmulator emulator;

    @BeforeEach
    void start() {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                "p/i/d",
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Accounts (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM AccountStream FOR ALL");
    }

    @AfterEach
    void stop() {
        emulator.close();
    }

    @Test
    void every_query_lives_on_a_connection_that_was_opened_for_as_many() throws Exception {
        try (SpannerConnection connection = connection(250);
                ChangeStreamSource source = connection.source("AccountStream").build()) {
            assertThat(source.maxOpenQueries()).isEqualTo(250);
            Semaphore heartbeats = openTogether(source, 250);

            assertThat(heartbeats.tryAcquire(250, 60, SECONDS))
                    .as("heartbeats of 250 queries; %d run", running())
                    .isTrue();
            assertThat(source.serverTime()).as("with room for a question").isNotNull();
        }
    }

    /** Without a word: neither the server nor the reader sees a query that waits inside the client. */
    @Test
    void more_queries_than_the_channels_carry_wait_until_others_end() throws Exception {
        try (SpannerConnection connection = connection(100);
                ChangeStreamSource first = connection.source("AccountStream").build();
                ChangeStreamSource second = connection.source("AccountStream").build()) {
            Semaphore heartbeatsOfFirst = openTogether(first, 150);
            assertThat(heartbeatsOfFirst.tryAcquire(150, 60, SECONDS)).isTrue();

            Semaphore heartbeatsOfSecond = openTogether(second, 100);
            assertThat(heartbeatsOfSecond.tryAcquire(51, 3, SECONDS))
                    .as("more than two channels carry; %d run", running())
                    .isFalse();

            first.close();
            assertThat(heartbeatsOfSecond.tryAcquire(100, 60, SECONDS)).isTrue();
        }
    }

    private SpannerConnection connection(int openQueries) {
        return SpannerConnection.builder(DATABASE)
                .emulatorHost(emulator.emulatorHost())
                .maxOpenQueries(openQueries)
                .open();
    }

    private int running() {
        return emulator.runningQueries("p/i/d");
    }

    /** Opens so many queries, which stay open until the source is closed, and counts those that got a heartbeat. */
    private Semaphore openTogether(ChangeStreamSource source, int queries) {
        PartitionView partition =
                emulator.partitions("p/i/d", "AccountStream").live().getFirst();
        PartitionQuery query = new PartitionQuery(
                new PartitionToken(partition.token()), partition.start(), Optional.empty(), Duration.ofSeconds(1));
        Semaphore heartbeats = new Semaphore(0);
        IntStream.range(0, queries)
                .mapToObj(i -> source.query(query))
                .forEach(cursor -> Thread.ofVirtual().start(() -> {
                    awaitHeartbeat(cursor);
                    heartbeats.release();
                }));
        return heartbeats;
    }

    private static void awaitHeartbeat(ChangeStreamCursor cursor) {
        try {
            assertThat(cursor.next()).containsInstanceOf(HeartbeatRecord.class);
        } catch (InterruptedException e) {
            throw new IllegalStateException("it is not interrupted", e);
        }
    }
}

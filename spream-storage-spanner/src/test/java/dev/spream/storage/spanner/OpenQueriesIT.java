package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import dev.spream.emulator.PartitionControl.PartitionView;
import dev.spream.emulator.SpannerEmulator;
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

    private final Semaphore heartbeats = new Semaphore(0);
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
            openTogether(source, 250);

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
            openTogether(first, 200);
            assertThat(heartbeats.tryAcquire(200, 60, SECONDS)).isTrue();

            openTogether(second, 20);
            assertThat(heartbeats.tryAcquire(1, 3, SECONDS))
                    .as("%d run", running())
                    .isFalse();

            first.close();
            assertThat(heartbeats.tryAcquire(20, 60, SECONDS)).isTrue();
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

    /** Reads one heartbeat of each of so many queries, which then stay open until the source is closed. */
    private void openTogether(ChangeStreamSource source, int queries) {
        PartitionView partition =
                emulator.partitions("p/i/d", "AccountStream").live().getFirst();
        PartitionQuery query = new PartitionQuery(
                new PartitionToken(partition.token()), partition.start(), Optional.empty(), Duration.ofSeconds(1));
        IntStream.range(0, queries)
                .mapToObj(i -> source.query(query))
                .forEach(cursor -> Thread.ofVirtual().start(() -> awaitHeartbeat(cursor)));
    }

    private void awaitHeartbeat(ChangeStreamCursor cursor) {
        try {
            if (cursor.next().orElseThrow() instanceof HeartbeatRecord) {
                heartbeats.release();
            }
        } catch (SourceException e) {
            if (e.kind() != Kind.CANCELLED) {
                throw e;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

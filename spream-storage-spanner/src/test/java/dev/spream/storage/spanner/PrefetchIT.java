package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the amount of unread data that a client buffers for a slow reader of large rows, measured by gRPC's own
 * tracer.
 */
@Timeout(120)
class PrefetchIT {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;
    private static final long WRITTEN = 8L * MIB;

    private final ReceivedMessages received = new ReceivedMessages();
    private SpannerEmulator emulator;

    @BeforeEach
    void start() {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                "p/i/d",
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Files (Id INT64 NOT NULL, Content STRING(MAX)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM FileStream FOR ALL");
    }

    @AfterEach
    void stop() {
        emulator.close();
    }

    /** The emulator sends rows of 100 KiB in chunks of ten, and rows of 600 KiB one by one. */
    @ParameterizedTest
    @ValueSource(ints = {100 * KIB, 600 * KIB})
    void a_slow_readers_client_holds_no_more_than_the_limit_and_one_chunk(int rowBytes) throws Exception {
        long limit = 2 * MIB;
        try (Spanner spanner = SpannerConnection.prepare(options()).build().getService();
                var source = SpannerChangeStreamSource.open(client(spanner), "FileStream");
                ChangeStreamCursor cursor = source.query(written(spanner, source, rowBytes, OptionalLong.of(limit)))) {
            received.reset();
            long read = 0;
            while (read + limit < WRITTEN) {
                assertThat(cursor.next()).isPresent();
                read += rowBytes;
                received.awaitQuiet(read + limit - Math.max(rowBytes, received.largest()));

                assertThat(received.bytes() - read)
                        .as("bytes ahead after %d", read)
                        .isLessThan(limit + received.largest() + slack());
            }
            assertThat(received.largest()).isGreaterThan(rowBytes);
        }
    }

    /** The bytes of a row and of a message beyond the content. */
    private static long slack() {
        return 64 * KIB;
    }

    @Test
    void a_row_larger_than_the_limit_is_fetched_and_no_second_one() throws Exception {
        int rowBytes = 600 * KIB;
        try (Spanner spanner = SpannerConnection.prepare(options()).build().getService();
                var source = SpannerChangeStreamSource.open(client(spanner), "FileStream");
                ChangeStreamCursor cursor = source.query(written(spanner, source, rowBytes, OptionalLong.of(1)))) {
            received.reset();
            for (int rows = 1; rows <= 5; rows++) {
                assertThat(cursor.next()).isPresent();
                received.awaitQuiet((rows + 1L) * rowBytes);

                requirePrefetched(cursor, 1);
                assertThat(received.messages())
                        .as("the opening one, those read, one more")
                        .isEqualTo(1 + rows + 1);
            }
        }
    }

    @Test
    void the_sources_own_limit_holds_for_queries_that_have_none() throws Exception {
        int rowBytes = 600 * KIB;
        try (Spanner spanner = SpannerConnection.prepare(options()).build().getService();
                var source = SpannerChangeStreamSource.builder(client(spanner), "FileStream")
                        .prefetchBytes(rowBytes)
                        .build();
                ChangeStreamCursor cursor = source.query(written(spanner, source, rowBytes, OptionalLong.empty()))) {
            received.reset();
            assertThat(cursor.next()).isPresent();
            received.awaitQuiet(2L * rowBytes);

            requirePrefetched(cursor, 1);
        }
    }

    /** Requires that number of chunks; arrived chunks are counted with a delay. */
    private static void requirePrefetched(ChangeStreamCursor cursor, int chunks) {
        while (cursor.prefetched() < chunks) {
            Thread.onSpinWait(); // until the test's timeout
        }
        assertThat(cursor.prefetched()).isEqualTo(chunks);
    }

    @Test
    void a_client_that_was_not_prepared_fetches_as_many_chunks_as_it_is_told_whatever_their_size() throws Exception {
        try (Spanner spanner = options().build().getService();
                var source = SpannerChangeStreamSource.open(client(spanner), "FileStream");
                ChangeStreamCursor cursor = source.query(written(spanner, source, 600 * KIB, OptionalLong.of(1)))) {
            received.reset();
            assertThat(cursor.next()).isPresent();
            received.awaitQuiet(WRITTEN);

            assertThat(cursor.prefetched()).as("not known").isZero();
        }
    }

    private SpannerOptions.Builder options() {
        return SpannerOptions.newBuilder()
                .setProjectId("p")
                .setEmulatorHost(emulator.emulatorHost())
                .setBuiltInMetricsEnabled(false)
                .setCallContextConfigurator(received);
    }

    private static DatabaseClient client(Spanner spanner) {
        return spanner.getDatabaseClient(DatabaseId.of("p", "i", "d"));
    }

    /** The query of a partition with rows of that size, {@link #WRITTEN} bytes in all or a little more. */
    private PartitionQuery written(
            Spanner spanner, SpannerChangeStreamSource source, int rowBytes, OptionalLong prefetchBytes) {
        PartitionControl partitions = emulator.partitions("p/i/d", "FileStream");
        List<PartitionView> halves = partitions.live();
        partitions.merge(halves.getFirst().token(), halves.getLast().token());
        PartitionView whole = partitions.live().getFirst();
        String content = "x".repeat(rowBytes);
        for (long id = 0; id * rowBytes < WRITTEN; id++) {
            client(spanner)
                    .write(List.of(Mutation.newInsertBuilder("Files")
                            .set("Id")
                            .to(id)
                            .set("Content")
                            .to(content)
                            .build()));
        }
        return new PartitionQuery(
                new PartitionToken(whole.token()),
                whole.start(),
                Optional.of(source.serverTime()),
                Duration.ofMinutes(1),
                prefetchBytes);
    }
}

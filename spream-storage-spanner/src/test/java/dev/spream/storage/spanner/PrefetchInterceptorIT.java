package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.SpannerOptions;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.JsonObject;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.storage.spanner.client.EncodedValues;
import dev.spream.storage.spanner.client.PrefetchInterceptor;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PrefetchInterceptorIT {
    private static final Dialect DIALECT = Dialect.GOOGLE_STANDARD_SQL;
    private static final int ROWS = 50;
    private static final JsonObject RECORD = DocumentationRecords.record("transfer_first_account");

    private MockSpanner spanner;

    @BeforeEach
    void open() throws IOException {
        spanner = new MockSpanner(DIALECT);
    }

    @AfterEach
    void close() {
        spanner.close();
    }

    @Test
    void everything_is_read_a_chunk_at_a_time() throws Exception {
        try (ChangeStreamSource source = SpannerChangeStreamSource.open(spanner.client(), "Orders");
                ChangeStreamCursor cursor = source.query(rows(OptionalLong.of(1)))) {
            assertThat(drain(cursor)).isEqualTo(ROWS);
            assertThat(cursor.prefetched()).isZero();
        }
    }

    @Test
    void small_chunks_are_fetched_up_to_the_number_that_the_client_asks_for() throws Exception {
        try (ChangeStreamSource source = SpannerChangeStreamSource.builder(spanner.client(), "Orders")
                        .prefetchChunks(10)
                        .build();
                ChangeStreamCursor cursor = source.query(rows(OptionalLong.empty()))) {
            assertThat(cursor.next()).isPresent();
            awaitAhead(cursor, 9);

            assertThat(drain(cursor, 10)).isEqualTo(ROWS - 1);
        }
    }

    @Test
    void a_compressed_chunk_counts_with_the_size_that_it_has_in_memory() throws Exception {
        spanner.compression = "gzip";
        long limit = 12_000;
        PartitionQuery query = rows(OptionalLong.of(limit));
        try (ChangeStreamSource source = SpannerChangeStreamSource.open(spanner.client(), "Orders");
                ChangeStreamCursor cursor = source.query(query)) {
            assertThat(cursor.next()).isPresent();
            long decoded =
                    WireRows.resultSet(DIALECT, List.of(RECORD)).getRows(0).getSerializedSize();
            awaitAhead(cursor, (limit - 3_000) / decoded); // the chunk that is being read counts beside

            assertThat(drain(cursor, limit / decoded)).isEqualTo(ROWS - 1);
            spanner.received.awaitQuiet(1);
            assertThat(spanner.received.compressed()).isEqualTo(spanner.received.messages());
        }
    }

    @Test
    void a_client_that_was_prepared_twice_counts_once() throws Exception {
        spanner.close();
        spanner = new MockSpanner(DIALECT, options -> SpannerConnection.prepare(SpannerConnection.prepare(options)));
        try (ChangeStreamSource source = SpannerChangeStreamSource.open(spanner.client(), "Orders");
                ChangeStreamCursor cursor = source.query(rows(OptionalLong.of(1)))) {
            assertThat(cursor.next()).isPresent();
            awaitAhead(cursor, 1);

            assertThat(drain(cursor, 1)).isEqualTo(ROWS - 1);
        }
    }

    @Test
    void a_prepared_client_keeps_the_interceptors_that_it_had() {
        ClientInterceptor own = new ClientInterceptor() {
            @Override
            public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
                    MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
                return next.newCall(method, options);
            }
        };
        var options = SpannerOptions.newBuilder().setProjectId("p").setEmulatorHost("localhost:1");

        var unprepared = SpannerConnection.prepare(options).build().getInterceptorProvider();
        assertThat(unprepared.getInterceptors())
                .hasSizeGreaterThan(2)
                .extracting(Object::getClass)
                .endsWith(PrefetchInterceptor.class, EncodedValues.class);

        options.setInterceptorProvider(() -> List.of(own));
        var prepared = SpannerConnection.prepare(options).build().getInterceptorProvider();
        assertThat(prepared.getInterceptors()).hasSize(3).first().isSameAs(own);
    }

    private PartitionQuery rows(OptionalLong prefetchBytes) {
        PartitionQuery query = new PartitionQuery(
                new PartitionToken("child_token_1"),
                Instant.parse("2022-05-01T09:00:00Z"),
                Optional.empty(),
                Duration.ofSeconds(10),
                prefetchBytes);
        spanner.answer(
                ChangeStreamStatement.statement(DIALECT, "Orders", query),
                WireRows.resultSet(DIALECT, Collections.nCopies(ROWS, RECORD)));
        return query;
    }

    private static void awaitAhead(ChangeStreamCursor cursor, long chunks) {
        while (cursor.prefetched() < chunks) {
            Thread.onSpinWait(); // until the test's timeout
        }
    }

    private static int drain(ChangeStreamCursor cursor) throws InterruptedException {
        return drain(cursor, ROWS);
    }

    /** Returns the number of remaining records, of which never more than that number of chunks are ahead. */
    private static int drain(ChangeStreamCursor cursor, long ahead) throws InterruptedException {
        int records = 0;
        do {
            assertThat(cursor.prefetched()).as("ahead of record %d", records).isLessThanOrEqualTo((int) ahead);
            records++;
        } while (cursor.next().isPresent());
        return records - 1;
    }
}

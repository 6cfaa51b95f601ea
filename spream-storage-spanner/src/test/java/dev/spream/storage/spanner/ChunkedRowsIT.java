package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.SpannerOptions;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class ChunkedRowsIT {
    private static final PartitionQuery QUERY = new PartitionQuery(
            new PartitionToken("child_token_1"),
            Instant.parse("2022-05-01T09:00:00Z"),
            Optional.empty(),
            Duration.ofSeconds(10));
    private static final int ROWS = 7;

    static Stream<Arguments> clients() {
        UnaryOperator<SpannerOptions.Builder> once = SpannerConnection::prepare;
        return Stream.of(Dialect.values())
                .flatMap(dialect -> Stream.of(
                        Arguments.of(dialect, "not prepared", UnaryOperator.identity()),
                        Arguments.of(dialect, "prepared", once),
                        Arguments.of(dialect, "prepared twice", (UnaryOperator<SpannerOptions.Builder>)
                                options -> once.apply(once.apply(options)))));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("clients")
    void rows_that_come_in_chunks_are_as_those_that_come_whole(
            Dialect dialect, String name, UnaryOperator<SpannerOptions.Builder> preparing) throws Exception {
        try (MockSpanner spanner = new MockSpanner(dialect, preparing)) {
            spanner.declareStream("Orders", Map.of());
            JsonObject change = DocumentationRecords.record("transfer_first_account");
            spanner.answer(
                    ChangeStreamStatement.statement(dialect, "Orders", QUERY),
                    WireRows.resultSet(dialect, Collections.nCopies(ROWS, change)));
            List<ChangeRecord> whole = read(spanner);

            spanner.chunked = true;

            assertThat(whole).hasSize(ROWS);
            assertThat(read(spanner)).isEqualTo(whole);
        }
    }

    private static List<ChangeRecord> read(MockSpanner spanner) throws InterruptedException {
        List<ChangeRecord> records = new ArrayList<>();
        try (SpannerChangeStreamSource source = SpannerChangeStreamSource.open(spanner.client(), "Orders");
                ChangeStreamCursor cursor = source.query(QUERY)) {
            for (Optional<ChangeRecord> next = cursor.next(); next.isPresent(); next = cursor.next()) {
                records.add(next.get());
            }
        }
        return records;
    }
}

package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Statement;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.source.PartitionQuery;
import dev.spream.storage.spanner.client.Timestamps;

/**
 * The query texts of the two dialects. Spanner accepts only a query of the read function, with literals or parameters.
 * In GoogleSQL the function has the same name in both partition modes, and returns other records.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_stream_query_syntax">Spanner:
 *     change stream query syntax</a>
 */
public final class ChangeStreamStatement {
    private static final String GOOGLE_SQL = """
            SELECT ChangeRecord FROM `%s`(\
            start_timestamp => @startTimestamp, \
            end_timestamp => @endTimestamp, \
            partition_token => @partitionToken, \
            heartbeat_milliseconds => @heartbeatMillis)""";

    /** The query of the PostgreSQL dialect. The fifth argument is reserved and required. */
    private static final String POSTGRESQL = "SELECT * FROM \"spanner\".\"%s\"($1, $2, $3, $4, null)";

    private ChangeStreamStatement() {}

    /** Returns the query of a stream with immutable key ranges. */
    public static Statement statement(Dialect dialect, String stream, PartitionQuery query) {
        return statement(dialect, PartitionMode.IMMUTABLE_KEY_RANGE, stream, query);
    }

    public static Statement statement(Dialect dialect, PartitionMode mode, String stream, PartitionQuery query) {
        boolean google = dialect == Dialect.GOOGLE_STANDARD_SQL;
        return ofFunction(dialect, (google ? "READ_" : prefix(mode)) + stream, query);
    }

    /** Returns the query of a read function. */
    public static Statement ofFunction(Dialect dialect, String function, PartitionQuery query) {
        boolean google = dialect == Dialect.GOOGLE_STANDARD_SQL;
        String text = (google ? GOOGLE_SQL : POSTGRESQL).formatted(function);
        return Statement.newBuilder(text)
                .bind(google ? "startTimestamp" : "p1")
                .to(Timestamps.toTimestamp(query.startTimestamp()))
                .bind(google ? "endTimestamp" : "p2")
                .to(query.endTimestamp().map(Timestamps::toTimestamp).orElse(null))
                .bind(google ? "partitionToken" : "p3")
                .to(query.token().isRoot() ? null : query.token().value())
                .bind(google ? "heartbeatMillis" : "p4")
                .to(query.heartbeatInterval().toMillis())
                .build();
    }

    private static String prefix(PartitionMode mode) {
        return switch (mode) {
            case IMMUTABLE_KEY_RANGE -> "read_json_";
            case MUTABLE_KEY_RANGE -> "read_proto_bytes_";
        };
    }
}

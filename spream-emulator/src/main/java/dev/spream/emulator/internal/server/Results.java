package dev.spream.emulator.internal.server;

import com.google.protobuf.ListValue;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.ResultSetStats;
import dev.spream.emulator.internal.database.QueryResult;
import io.grpc.stub.StreamObserver;

/** Converts results into whole and partial result sets. */
final class Results {
    private static final int MAX_CHUNK_ROWS = 128;
    private static final int MAX_CHUNK_BYTES = 256 * 1024;

    private Results() {}

    static ResultSet whole(QueryResult result, RequestTransaction scope, boolean multiplexed) {
        ResultSet.Builder whole =
                ResultSet.newBuilder().setMetadata(metadata(result, scope)).addAllRows(result.rows());
        if (result.isDml()) {
            whole.setStats(stats(result, scope));
        }
        scope.precommitToken(multiplexed).ifPresent(whole::setPrecommitToken);
        return whole.build();
    }

    /**
     * Sends a result in chunks of whole rows. There are no resume tokens: a client whose stream breaks has to read
     * again from the start, or to fail.
     */
    static void stream(
            QueryResult result, RequestTransaction scope, boolean multiplexed, StreamObserver<PartialResultSet> out) {
        PartialResultSet.Builder chunk = PartialResultSet.newBuilder().setMetadata(metadata(result, scope));
        scope.precommitToken(multiplexed).ifPresent(chunk::setPrecommitToken);
        int rows = 0;
        int bytes = 0;
        for (ListValue row : result.rows()) {
            if (rows == MAX_CHUNK_ROWS || bytes > MAX_CHUNK_BYTES) {
                out.onNext(chunk.build());
                chunk = PartialResultSet.newBuilder();
                rows = 0;
                bytes = 0;
            }
            chunk.addAllValues(row.getValuesList());
            rows++;
            bytes += row.getSerializedSize();
        }
        if (result.isDml()) {
            chunk.setStats(stats(result, scope));
        }
        out.onNext(chunk.setLast(true).build());
    }

    private static ResultSetMetadata metadata(QueryResult result, RequestTransaction scope) {
        ResultSetMetadata.Builder metadata = ResultSetMetadata.newBuilder().setRowType(result.rowType());
        scope.begun().ifPresent(metadata::setTransaction);
        return metadata.build();
    }

    private static ResultSetStats stats(QueryResult dml, RequestTransaction scope) {
        boolean partitioned =
                scope.writer().filter(writer -> writer.isPartitioned()).isPresent();
        return partitioned
                ? ResultSetStats.newBuilder()
                        .setRowCountLowerBound(dml.rowCount())
                        .build()
                : ResultSetStats.newBuilder().setRowCountExact(dml.rowCount()).build();
    }
}

package dev.spream.emulator.internal.stream;

import com.google.protobuf.Struct;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.Type;
import dev.spream.emulator.PartitionControl;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.Table;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Stands in for the change streams of a database until they exist. */
@SuppressWarnings({"UnusedVariable", "DoNotCallSuggester"})
public final class ChangeStreams implements AutoCloseable {
    public ChangeStreams(DatabaseDialect dialect, CommitClock clock, ChurnSettings churn, long seed) {}

    public boolean handles(String ddl) {
        return false;
    }

    public void apply(String ddl, Map<String, Table> tables) {}

    public void checkTableChange(String ddlKind, String tableName, @Nullable String columnName) {}

    public List<ChangeStreamInfo> describe() {
        return List.of();
    }

    public void commit(Commit commit) {}

    public Optional<ChangeStreamQuery> parse(String sql, Struct params, Map<String, Type> paramTypes) {
        return Optional.empty();
    }

    public void run(ChangeStreamQuery query, StreamObserver<PartialResultSet> out, BooleanSupplier cancelled) {
        out.onError(Status.UNIMPLEMENTED.asRuntimeException());
    }

    public PartitionControl partitions(String streamName) {
        throw Status.UNIMPLEMENTED.asRuntimeException();
    }

    public List<String> ddl() {
        return List.of();
    }

    @Override
    public void close() {}
}

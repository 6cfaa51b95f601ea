package dev.spream.differential;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerExceptionFactory;
import com.google.gson.JsonObject;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.spanner.v1.TypeProto;
import dev.spream.servers.SpannerServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * The records of a few commits in a server's streams, by the name of the stream, in commit order. They lack what two
 * servers cannot have in common: commit timestamps and transaction ids.
 */
record TableChanges(Map<String, List<JsonObject>> byStream) {
    private static final String CREATE_STREAM = "CREATE CHANGE STREAM ";
    private static final int ATTEMPTS = 100;
    private static final long PAUSE_NANOS = 50_000_000L;
    private static final String CONCURRENT = "a concurrent schema change operation or read-write transaction";

    /** A transaction, which returns its commit timestamp. */
    interface Commit extends Function<DatabaseClient, Timestamp> {}

    /** Creates a database with these tables and streams, commits, and reads every stream. */
    static TableChanges of(SpannerServer server, Dialect dialect, List<String> ddl, List<? extends Commit> commits) {
        DatabaseId id = server.createDatabase(dialect, List.of());
        try (Spanner spanner = server.client()) {
            alter(spanner, id, ddl);
            DatabaseClient database = spanner.getDatabaseClient(id);
            List<Timestamp> committed =
                    commits.stream().map(commit -> commit.apply(database)).toList();
            Map<String, List<JsonObject>> byStream = new HashMap<>();
            for (String stream : streams(ddl)) {
                List<JsonObject> records = new ArrayList<>(
                        new ChangeReader(database, dialect, stream, committed.getLast()).read(committed.getFirst()));
                records.sort(Comparator.comparing(TableChanges::committedAt));
                records.forEach(record -> {
                    record.remove("commit_timestamp");
                    record.remove("server_transaction_id");
                });
                byStream.put(stream, records);
            }
            drop(spanner, id);
            return new TableChanges(byStream);
        }
    }

    /**
     * Alters a schema whose proto bundle may have the messages of {@code google/spanner/v1/type.proto}; again while Google's
     * emulator has a transaction that a client has left open.
     */
    static void alter(Spanner spanner, DatabaseId id, List<String> ddl) {
        FileDescriptorSet descriptors = FileDescriptorSet.newBuilder()
                .addFile(TypeProto.getDescriptor().toProto())
                .build();
        boolean bundle = ddl.stream().anyMatch(statement -> statement.startsWith("CREATE PROTO BUNDLE"));
        var admin = spanner.getDatabaseAdminClient();
        var database = admin.newDatabaseBuilder(id);
        if (bundle) {
            database.setProtoDescriptors(descriptors.toByteArray());
        }
        for (int left = ATTEMPTS; ; left--) {
            try {
                admin.updateDatabaseDdl(database.build(), ddl, null).get();
                return;
            } catch (ExecutionException e) {
                SpannerException refusal = SpannerExceptionFactory.asSpannerException(e.getCause());
                if (left == 0 || !String.valueOf(refusal.getMessage()).contains(CONCURRENT)) {
                    throw refusal;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (InterruptedException e) {
                throw SpannerExceptionFactory.propagateInterrupt(e);
            }
        }
    }

    /** Drops a database, whose partitions would change as long as its server lives. */
    static void drop(Spanner spanner, DatabaseId id) {
        spanner.getDatabaseAdminClient().dropDatabase(id.getInstanceId().getInstance(), id.getDatabase());
    }

    private static List<String> streams(List<String> ddl) {
        return ddl.stream()
                .filter(statement -> statement.startsWith(CREATE_STREAM))
                .map(statement ->
                        statement.substring(CREATE_STREAM.length(), statement.indexOf(' ', CREATE_STREAM.length())))
                .toList();
    }

    private static Timestamp committedAt(JsonObject record) {
        return Timestamp.parseTimestamp(
                record.get("commit_timestamp").getAsString().replace("+00:00", "Z"));
    }

    List<JsonObject> of(String stream) {
        return Optional.ofNullable(byStream.get(stream)).orElseThrow();
    }
}

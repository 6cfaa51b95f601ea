package dev.spream.benchmarks.reading;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Options.QueryOption;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import dev.spream.benchmarks.harness.Parallel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A plain program without spream, limited to reading: the client's own result sets, each partition on a thread of its
 * own, every field of every record read once and discarded. It neither follows children of children nor keeps its
 * position.
 */
final class BareLoop {
    private final DatabaseClient client;
    private final String streamName;
    private final QueryOption[] options;

    /** @param options the options of the queries; none for the client's defaults */
    BareLoop(DatabaseClient client, String streamName, QueryOption... options) {
        this.client = client;
        this.streamName = streamName;
        this.options = options.clone();
    }

    /** Returns the options of spream's queries by default. */
    static QueryOption[] spreamsOptions() {
        return new QueryOption[] {Options.priority(Options.RpcPriority.HIGH), Options.prefetchChunks(64)};
    }

    /** Reads everything between the two times, and returns the number of data change records. */
    long run(Instant start, Instant end) throws InterruptedException, ExecutionException {
        Reading root = new Reading();
        root.read(query(start, end, null));
        return Parallel.sum(Executors.newVirtualThreadPerTaskExecutor(), root.children.size(), i -> () -> {
            Reading partition = new Reading();
            partition.read(query(start, end, root.children.get(i)));
            return partition.records;
        });
    }

    private Statement query(Instant start, Instant end, @Nullable String token) {
        return Statement.newBuilder(
                        "SELECT ChangeRecord FROM READ_" + streamName + "(start_timestamp => @startTimestamp,"
                                + " end_timestamp => @endTimestamp, partition_token => @partitionToken,"
                                + " heartbeat_milliseconds => @heartbeatMillis)")
                .bind("startTimestamp")
                .to(timestamp(start))
                .bind("endTimestamp")
                .to(timestamp(end))
                .bind("partitionToken")
                .to(token)
                .bind("heartbeatMillis")
                .to(10_000)
                .build();
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }

    private final class Reading {
        private final List<String> children = new ArrayList<>();
        private long records;
        private long sum; // keeps reads from being optimised away

        void read(Statement query) {
            try (ResultSet rows = client.singleUse().executeQuery(query, options)) {
                while (rows.next()) {
                    for (Struct changeRecord : rows.getStructList(0)) {
                        changeRecord.getStructList("data_change_record").forEach(this::data);
                        changeRecord.getStructList("heartbeat_record").forEach(this::heartbeat);
                        changeRecord.getStructList("child_partitions_record").forEach(this::children);
                    }
                }
            }
            if (sum == Long.MIN_VALUE) {
                throw new IllegalStateException("the sum of all fields is an unlikely one");
            }
        }

        private void data(Struct data) {
            records++;
            use(data.getTimestamp("commit_timestamp"));
            use(data.getString("record_sequence"));
            use(data.getString("server_transaction_id"));
            use(data.getBoolean("is_last_record_in_transaction_in_partition"));
            use(data.getString("table_name"));
            for (Struct column : data.getStructList("column_types")) {
                use(column.getString("name"));
                use(column.getJson("type"));
                use(column.getBoolean("is_primary_key"));
                use(column.getLong("ordinal_position"));
            }
            for (Struct mod : data.getStructList("mods")) {
                use(mod.getJson("keys"));
                use(mod.getJson("new_values"));
                use(mod.getJson("old_values"));
            }
            use(data.getString("mod_type"));
            use(data.getString("value_capture_type"));
            use(data.getLong("number_of_records_in_transaction"));
            use(data.getLong("number_of_partitions_in_transaction"));
            use(data.getString("transaction_tag"));
            use(data.getBoolean("is_system_transaction"));
        }

        private void heartbeat(Struct heartbeat) {
            use(heartbeat.getTimestamp("timestamp"));
        }

        private void children(Struct record) {
            for (Struct child : record.getStructList("child_partitions")) {
                children.add(child.getString("token"));
            }
        }

        private void use(String value) {
            sum += value.length();
        }

        private void use(Timestamp value) {
            sum += value.getNanos();
        }

        private void use(boolean value) {
            sum += value ? 1 : 0;
        }

        private void use(long value) {
            sum += value;
        }
    }
}

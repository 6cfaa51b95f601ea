package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.storage.jdbc.deadletter.JdbcDeadLetterStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The one row of a table whose primary key has no columns, on its way from Spanner into each kind of sink. Google's
 * emulator has no key ranges, mutable or other: there the changes of the row come from unrelated partitions, and commit
 * order brings them together again.
 */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("serversAndModes")
@Timeout(120)
final class SingletonTableIT {
    private static final RecordKey KEY = new RecordKey("Settings", JsonObject.EMPTY);
    private static final int UPDATES = 20;

    private final SpannerServer server;
    private final DatabaseId database;

    @TempDir
    private Path folder;

    SingletonTableIT(SpannerServer server, PartitionMode mode) {
        this.server = server;
        String mutable = mode == PartitionMode.MUTABLE_KEY_RANGE ? ", partition_mode = '" + mode + "'" : "";
        this.database = server.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                List.of(
                        "CREATE TABLE Settings (Mode STRING(9)) PRIMARY KEY ()",
                        "CREATE CHANGE STREAM Changes FOR ALL OPTIONS (value_capture_type = 'NEW_ROW'" + mutable
                                + ")"));
    }

    private static Stream<PartitionMode> modes() {
        return SpannerServers.areAll() ? Stream.of(PartitionMode.values()) : Stream.of(PartitionMode.MUTABLE_KEY_RANGE);
    }

    static Stream<Arguments> serversAndModes() {
        Stream<Arguments> ours = modes().map(mode -> Arguments.of(SpannerServers.ours(), mode));
        return Stream.concat(
                ours,
                SpannerServers.google().stream()
                        .map(server -> Arguments.of(server, PartitionMode.IMMUTABLE_KEY_RANGE)));
    }

    @Test
    void its_changes_come_in_order_to_every_sink_with_several_in_flight() throws Exception {
        List<Timestamp> commits = writeHistory();
        PostgresDatabase postgres = PostgresDatabase.create();
        String url = postgres.jdbcUrl();
        Path file = folder.resolve("changes.jsonl");
        run(commits, Map.of("sink", "jdbc", "sink.jdbc.url", url, "sink.jdbc.create-tables", "true"));
        run(commits, Map.of("sink", "outbox", "outbox.jdbc.url", url));
        run(commits, Map.of("sink", "jsonl", "sink.jsonl.path", file.toString(), "filter.columns", "Settings.Mode"));

        assertThat(column(postgres, "SELECT \"Mode\" FROM public.\"Settings\"")).containsExactly("last");
        assertThat(column(postgres, "SELECT count(*) FROM spream.applied_change"))
                .as("changes in the ledger, which is pruned below the watermark")
                .first()
                .satisfies(count -> assertThat(Integer.parseInt(count)).isBetween(1, commits.size()));
        assertThat(column(postgres, "SELECT DISTINCT ordering_key FROM spream.outbox_orders"))
                .containsExactly("Settings/{}");
        assertThat(column(postgres, "SELECT order_request_json ->> 'mod_type' FROM spream.outbox_orders ORDER BY id"))
                .hasSize(commits.size())
                .startsWith("INSERT", "UPDATE")
                .endsWith("DELETE", "INSERT");
        List<DataChangeRecord> lines = Files.readAllLines(file).stream()
                .map(ChangeRecordJson::readDataChange)
                .toList();
        assertThat(lines)
                .hasSize(commits.size())
                .isSortedAccordingTo((a, b) -> a.commitTimestamp().compareTo(b.commitTimestamp()))
                .allSatisfy(change -> assertThat(RecordKey.of(change)).containsExactly(KEY));
    }

    @Test
    void its_key_is_parked_and_replayed() throws Exception {
        List<Timestamp> commits = writeHistory();
        PostgresDatabase postgres = PostgresDatabase.create();
        List<DeadLetterStore> stores = List.of(
                JsonlDeadLetterSink.open(folder.resolve("letters.jsonl")),
                JdbcDeadLetterStore.builder(postgres.source(), "settings").build());
        for (DeadLetterStore store : stores) {
            park(commits, store);
            assertThat(store.parkedKeys()).containsExactly(KEY);
            assertThat(store.openLetters()).hasSize(commits.size());

            List<DataChangeRecord> replayed = new CopyOnWriteArrayList<>();
            DeadLetterReplay.of(store, (change, delivery) -> replayed.add(change))
                    .key(KEY);
            assertThat(replayed)
                    .hasSize(commits.size())
                    .isSortedAccordingTo((a, b) -> a.commitTimestamp().compareTo(b.commitTimestamp()));
            assertThat(store.parkedKeys()).isEmpty();
            ((AutoCloseable) store).close();
        }
    }

    /** An insert, updates, a delete and another insert; when they were committed. */
    private List<Timestamp> writeHistory() {
        List<Timestamp> commits = new ArrayList<>();
        try (Spanner spanner = server.client()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            commits.add(client.write(List.of(mode(Mutation.newInsertBuilder("Settings"), "first"))));
            for (int i = 0; i < UPDATES; i++) {
                commits.add(client.write(List.of(mode(Mutation.newUpdateBuilder("Settings"), "m" + i))));
            }
            commits.add(client.write(List.of(Mutation.delete("Settings", Key.of()))));
            commits.add(client.write(List.of(mode(Mutation.newInsertBuilder("Settings"), "last"))));
        }
        return commits;
    }

    private static Mutation mode(Mutation.WriteBuilder write, String mode) {
        return write.set("Mode").to(mode).build();
    }

    private void run(List<Timestamp> commits, Map<String, String> sink) {
        try (Spream spream = Spream.create(config(commits, sink))) {
            spream.run();
        }
    }

    private void park(List<Timestamp> commits, DeadLetterStore store) {
        SpreamConfig config = config(commits, Map.of("on-failure", "park-key", "retry.max-attempts", "1"));
        try (Spream spream = Spream.builder(config)
                .deadLetterSink(store)
                .consumer(change -> {
                    throw new IOException("unreachable");
                })
                .build()) {
            spream.run();
        }
    }

    private SpreamConfig config(List<Timestamp> commits, Map<String, String> more) {
        Map<String, String> keys = new HashMap<>(more);
        keys.put("source", "spanner");
        keys.put("source.spanner.database", database.getName());
        keys.put("source.spanner.stream", "Changes");
        keys.put("source.spanner.emulator-host", server.emulatorHost());
        keys.put("storage", "memory");
        keys.put("max-inflight", "8");
        keys.put("transaction-mode", server.equals(SpannerServers.ours()) ? "off" : "commit-order");
        keys.put("start", commits.getFirst().toString());
        keys.put("end", commits.getLast().toString());
        return SpreamConfig.of(keys);
    }

    private static List<String> column(PostgresDatabase postgres, String sql) throws SQLException {
        try (var connection = postgres.source().getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        }
    }
}

package dev.spream.emulator.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.NoCredentials;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.ChangeStreamRecord;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranges that move while clients write, with broken streams, read through the real client. */
@Timeout(180)
class MovingKeysIT {
    private static final String DATABASE = "p/i/d";
    private static final int WRITERS = 4;
    private static final int COMMITS = 30;
    private static final int KEYS = 10;

    @Test
    void following_the_events_gives_every_change_of_each_key_in_order() throws Exception {
        follow(DatabaseDialect.GOOGLE_STANDARD_SQL);
    }

    @Test
    @Tag("proof")
    void following_the_events_gives_every_change_of_each_key_in_order_in_postgresql() throws Exception {
        follow(DatabaseDialect.POSTGRESQL);
    }

    private static void follow(DatabaseDialect dialect) throws Exception {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(3)
                        .churn(PartitionChurn.every(Duration.ofMillis(20)).weights(2, 2, 4))
                        .faults(FaultRates.share(0.2).with(Fault.Kind.STALL, 0))
                        .start();
                Spanner spanner = SpannerOptions.newBuilder()
                        .setProjectId("p")
                        .setEmulatorHost(emulator.emulatorHost())
                        .setCredentials(NoCredentials.getInstance())
                        .setBuiltInMetricsEnabled(false)
                        .build()
                        .getService()) {
            emulator.createDatabase(
                    DATABASE,
                    dialect,
                    postgres
                            ? "CREATE TABLE items (id bigint PRIMARY KEY, n bigint)"
                            : "CREATE TABLE items (id INT64, n INT64) PRIMARY KEY (id)",
                    "CREATE CHANGE STREAM changes FOR ALL " + (postgres ? "WITH" : "OPTIONS")
                            + " (partition_mode = 'MUTABLE_KEY_RANGE')");
            DatabaseClient client = spanner.getDatabaseClient(DatabaseId.of("p", "i", "d"));
            Instant start = write(client, 0, 0);
            Map<String, List<Instant>> committed = workload(client);
            committed.put(key(0), new ArrayList<>(List.of(start)));
            Instant end = write(client, 1, 0);
            committed.getOrDefault(key(0), List.of()).add(end);

            MovingKeysReader reader = MovingKeysReader.read(
                    (token, from, to, rows) -> read(client, postgres, token, from, to, rows), start, end, 1);

            assertThat(reader.deliverByKey()).isEqualTo(committed);
            assertThat(emulator.partitions(DATABASE, "changes").counts().moves())
                    .isPositive();
            assertThat(emulator.faults(DATABASE, "changes").counts().total()).isPositive();
        }
    }

    private static Map<String, List<Instant>> workload(DatabaseClient client) throws Exception {
        Map<String, List<Instant>> committed = new ConcurrentHashMap<>();
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 1; i <= WRITERS; i++) {
                int writer = i;
                writers.add(executor.submit(() -> write(client, writer, committed)));
            }
        }
        for (Future<?> writer : writers) {
            writer.get();
        }
        return committed;
    }

    /** Commits several rows of its own at a time. */
    private static void write(DatabaseClient client, int writer, Map<String, List<Instant>> committed) {
        Random random = new Random(writer);
        for (int n = 0; n < COMMITS; n++) {
            long[] ids = random.longs(writer * KEYS, (writer + 1) * KEYS)
                    .distinct()
                    .limit(3)
                    .toArray();
            Instant at = write(client, n, ids);
            for (long id : ids) {
                committed.computeIfAbsent(key(id), each -> new ArrayList<>()).add(at);
            }
        }
    }

    private static Instant write(DatabaseClient client, long n, long... ids) {
        List<Mutation> mutations = new ArrayList<>();
        for (long id : ids) {
            mutations.add(Mutation.newInsertOrUpdateBuilder("items")
                    .set("id")
                    .to(id)
                    .set("n")
                    .to(n)
                    .build());
        }
        Timestamp at = client.write(mutations);
        return Instant.ofEpochSecond(at.getSeconds(), at.getNanos());
    }

    private static String key(long id) {
        return "{\"id\":\"" + id + "\"}";
    }

    private static boolean read(
            DatabaseClient client,
            boolean postgres,
            @Nullable String token,
            Instant start,
            Instant end,
            Consumer<ReadRow> rows) {
        Statement query = Statement.newBuilder(
                        postgres
                                ? "SELECT * FROM \"spanner\".\"read_proto_bytes_changes\"($1, $2, $3, $4, null)"
                                : "SELECT ChangeRecord FROM READ_changes(@p1, @p2, @p3, @p4)")
                .bind("p1")
                .to(Timestamp.ofTimeSecondsAndNanos(start.getEpochSecond(), start.getNano()))
                .bind("p2")
                .to(Timestamp.ofTimeSecondsAndNanos(end.getEpochSecond(), end.getNano()))
                .bind("p3")
                .to(token)
                .bind("p4")
                .to(300_000)
                .build();
        try (ResultSet results = client.singleUse().executeQuery(query)) {
            while (results.next()) {
                rows.accept(ProtoRow.of(
                        postgres
                                ? ChangeStreamRecord.parseFrom(
                                        results.getBytes(0).toByteArray())
                                : results.getProtoMessage(0, ChangeStreamRecord.getDefaultInstance())));
            }
            return true;
        } catch (SpannerException e) {
            return false;
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}

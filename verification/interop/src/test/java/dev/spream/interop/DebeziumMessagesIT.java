package dev.spream.interop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.Value;
import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.api.format.QualifiedStreamName;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The format {@code debezium} against Debezium: its connector and spream read the same changes, and their messages are
 * compared, key, value, schema and tombstone. A column is added on the way.
 */
@Timeout(600)
class DebeziumMessagesIT {
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final long LARGE = 9_007_199_254_740_993L; // not a double
    private static final String LINE = "a\n\"b\" \u4e16";
    private static final int BEFORE_THE_COLUMN = 6;
    private static final int AFTER_IT = 2;

    /** The fields that cannot be equal: Debezium's version, and times at which messages were read and written. */
    private static final Set<String> NAMED = Set.of(
            "/payload/source/version",
            "/payload/source/read_at_timestamp",
            "/payload/ts_ms",
            "/payload/ts_us",
            "/payload/ts_ns");

    @TempDir
    Path folder;

    /** A message with its place: the change it is from, and whether it is a tombstone. */
    private record Message(String place, JsonObject key, Optional<JsonObject> value) {}

    @ParameterizedTest
    @EnumSource(value = ValueCaptureType.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void messages_are_those_of_debezium(ValueCaptureType captured) throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            SpannerServer server = new SpannerServer("our emulator", emulator.emulatorHost());
            String stream = "Changes_" + captured;
            DatabaseId database = server.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ddl(stream, captured));
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(database.getName()))
                            .emulatorHost(server.emulatorHost())
                            .open();
                    SpannerChangeStreamSource source = SpannerChangeStreamSource.open(connection.client(), stream)) {
                Instant start = source.serverTime();
                compare(server, database, connection.client(), source, start, captured);
            }
        }
    }

    private static List<String> ddl(String stream, ValueCaptureType captured) {
        return List.of(
                "CREATE TABLE Orders (Id INT64 NOT NULL, Line STRING(MAX) NOT NULL, Status STRING(MAX), Total NUMERIC,"
                        + " Weight FLOAT64, Ratio FLOAT32, Paid BOOL, Note BYTES(MAX), Placed TIMESTAMP, Due DATE,"
                        + " Doc JSON, Tags ARRAY<STRING(MAX)>, Counts ARRAY<INT64>, Sums ARRAY<FLOAT64>)"
                        + " PRIMARY KEY (Id, Line)",
                "CREATE CHANGE STREAM %s FOR ALL OPTIONS (value_capture_type = '%s')".formatted(stream, captured));
    }

    private void compare(
            SpannerServer server,
            DatabaseId database,
            DatabaseClient client,
            SpannerChangeStreamSource source,
            Instant start,
            ValueCaptureType captured)
            throws Exception {
        BlockingQueue<Message> ours = new LinkedBlockingQueue<>();
        ChangeFormat format = ChangeFormat.debezium(
                QualifiedStreamName.of(database.getName(), source.streamName()),
                DebeziumProcess.NAME,
                true,
                InstantSource.system());
        Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage(InstantSource.system()))
                .options(SubscriberOptions.builder().startAt(start).build())
                .build();
        CompletableFuture<?> running = CompletableFuture.runAsync(
                () -> subscriber.run((change, delivery) -> ChangedRow.of(change, delivery)
                        .forEach(row -> messages(format, row).forEach(ours::add))),
                Thread::startVirtualThread);
        try (DebeziumProcess debezium =
                DebeziumProcess.start(server.emulatorHost(), database, source.streamName(), start, folder)) {
            write(client);
            List<Message> their = new ArrayList<>(take(debezium, BEFORE_THE_COLUMN));
            addColumn(server, database);
            writeColumn(client);
            their.addAll(take(debezium, AFTER_IT));
            List<Message> our = new ArrayList<>();
            while (our.size() < BEFORE_THE_COLUMN + AFTER_IT) {
                our.add(Optional.ofNullable(ours.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                        .orElseThrow());
            }
            compare(captured, their, our);
        } finally {
            subscriber.shutdown(Duration.ofSeconds(10));
            running.get(30, TimeUnit.SECONDS);
        }
    }

    private static void write(DatabaseClient client) {
        client.readWriteTransaction(Options.tag("import")).run(transaction -> {
            transaction.buffer(List.of(
                    whole(LARGE, LINE),
                    Mutation.newInsertBuilder("Orders")
                            .set("Id")
                            .to(2)
                            .set("Line")
                            .to("b")
                            .set("Weight")
                            .to(1e22)
                            .build()));
            return null;
        });
        client.write(List.of(Mutation.newUpdateBuilder("Orders")
                .set("Id")
                .to(2)
                .set("Line")
                .to("b")
                .set("Status")
                .to("PAID")
                .set("Weight")
                .to((Double) null)
                .build()));
        client.write(List.of(Mutation.delete("Orders", Key.of(2, "b"))));
        client.write(List.of(Mutation.newUpdateBuilder("Orders")
                .set("Id")
                .to(LARGE)
                .set("Line")
                .to(LINE)
                .set("Sums")
                .toFloat64Array(new double[0])
                .build()));
    }

    private static Mutation whole(long id, String line) {
        return Mutation.newInsertBuilder("Orders")
                .set("Id")
                .to(id)
                .set("Line")
                .to(line)
                .set("Status")
                .to("NEW")
                .set("Total")
                .to(new BigDecimal("12.500000001"))
                .set("Weight")
                .to(Double.NaN)
                .set("Ratio")
                .to(1.1f)
                .set("Paid")
                .to(true)
                .set("Note")
                .to(ByteArray.copyFrom(new byte[] {1, 2, -1}))
                .set("Placed")
                .to(Timestamp.parseTimestamp("2026-01-31T12:00:00.123456789Z"))
                .set("Due")
                .to(Date.parseDate("2026-02-01"))
                .set("Doc")
                .to(Value.json("{\"a\": [1, 2.50, null], \"b\": \"c\"}"))
                .set("Tags")
                .toStringArray(Arrays.asList("x", null))
                .set("Counts")
                .toInt64Array(new long[] {1, -LARGE})
                .set("Sums")
                .toFloat64Array(new double[] {1.5, Double.POSITIVE_INFINITY, 1e22})
                .build();
    }

    private static void addColumn(SpannerServer server, DatabaseId database) throws Exception {
        try (Spanner spanner = server.client()) {
            spanner.getDatabaseAdminClient()
                    .updateDatabaseDdl(
                            database.getInstanceId().getInstance(),
                            database.getDatabase(),
                            List.of("ALTER TABLE Orders ADD COLUMN Extra STRING(MAX)"),
                            null)
                    .get();
        }
    }

    private static void writeColumn(DatabaseClient client) {
        for (String extra : List.of("more", "and more")) {
            client.write(List.of(Mutation.newUpdateBuilder("Orders")
                    .set("Id")
                    .to(LARGE)
                    .set("Line")
                    .to(LINE)
                    .set("Extra")
                    .to(extra)
                    .build()));
        }
    }

    private static List<Message> take(DebeziumProcess debezium, int count) throws InterruptedException {
        List<Message> messages = new ArrayList<>();
        while (messages.size() < count) {
            DebeziumProcess.Message message = debezium.next(TIMEOUT);
            messages.add(message(message.key(), Optional.ofNullable(message.value()), messages));
        }
        return messages;
    }

    private static List<Message> messages(ChangeFormat format, ChangedRow row) {
        List<Message> messages = new ArrayList<>();
        String key = new String(format.key(row), UTF_8);
        messages.add(message(key, Optional.of(new String(format.value(row), UTF_8)), messages));
        if (row.isDelete() && format.deletion() == ChangeFormat.Deletion.VALUE_THEN_TOMBSTONE) {
            messages.add(message(key, Optional.empty(), messages));
        }
        return messages;
    }

    /** Returns a message; a tombstone has the place of the message before it. */
    private static Message message(String key, Optional<String> value, List<Message> before) {
        String place = value.map(text -> place(JsonObject.of(text)))
                .orElseGet(() -> before.getLast().place() + " tombstone");
        return new Message(place, JsonObject.of(key), value.map(JsonObject::of));
    }

    private static String place(JsonObject message) {
        JsonObject source = message.object("payload")
                .flatMap(payload -> payload.object("source"))
                .orElseThrow();
        return Stream.of("server_transaction_id", "partition_token", "sequence", "mod_number")
                .map(name -> source.string(name).orElseThrow())
                .collect(Collectors.joining("/"));
    }

    private static void compare(ValueCaptureType captured, List<Message> theirs, List<Message> ours) {
        Map<String, Message> our = new HashMap<>();
        ours.forEach(message -> our.put(message.place(), message));
        assertThat(our.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        theirs.stream().map(Message::place).toList());
        Differences all = new Differences();
        for (Message message : theirs) {
            Message other = Objects.requireNonNull(our.get(message.place()));
            all.compare(message.key().members(), other.key().members());
            assertThat(other.value().isPresent()).isEqualTo(message.value().isPresent());
            message.value()
                    .ifPresent(value -> all.compare(
                            value.members(), other.value().orElseThrow().members()));
        }
        System.out.printf(
                "%s: %d messages compared; columns that only Debezium writes, as null: %s%n",
                captured, theirs.size(), all.missingColumns());
        assertThat(all.found())
                .extracting(difference -> difference.substring(0, difference.indexOf(':')))
                .as("differences: %s", all.found())
                .isSubsetOf(NAMED);
    }
}

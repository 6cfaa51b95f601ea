package dev.spream.sink.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** From a change stream whose partitions split, merge and move to topics of a broker: each row's history arrives, in order. */
final class SpannerToKafkaIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/bank";
    private static final int TRANSACTIONS = 60;
    private static final int ROWS = 10;

    @Test
    void every_row_arrives_in_order_while_partitions_change() throws Exception {
        Random random = new Random(7);
        TestBroker.topics().create("bank.Changes.Accounts", 3);
        try (SpannerEmulator spanner = SpannerEmulator.start()) {
            spanner.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Accounts (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR ALL");
            Instant start = Instant.now();
            Map<String, Integer> versions = new HashMap<>();
            Instant end = write(spanner, random, versions);
            assertThat(run(spanner, start, end)).isEqualTo(CompletionReason.COMPLETED);
            List<ConsumerRecord<byte[], byte[]>> arrived = TestBroker.topics().read("bank.Changes.Accounts");
            check(versions, arrived);
            assertThat(Topics.header(arrived.getFirst(), "database")).isEqualTo(DATABASE);
            assertThat(Topics.header(arrived.getFirst(), "stream")).isEqualTo("Changes");
        }
    }

    /** Transactions of one row to three, each with the next version of its rows; the time of the last one. */
    private static Instant write(SpannerEmulator spanner, Random random, Map<String, Integer> versions) {
        Timestamp last = Timestamp.now();
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(spanner.emulatorHost())
                .open()) {
            for (int i = 0; i < TRANSACTIONS; i++) {
                List<Mutation> mutations = new ArrayList<>();
                random.ints(0, ROWS)
                        .distinct()
                        .limit(1 + random.nextInt(3))
                        .forEach(row -> mutations.add(Mutation.newInsertOrUpdateBuilder("Accounts")
                                .set("Id")
                                .to(row)
                                .set("Version")
                                .to(versions.merge(Integer.toString(row), 1, Integer::sum))
                                .build()));
                last = connection.client().write(mutations);
                if (i % 5 == 0) {
                    change(spanner.partitions(DATABASE, "Changes"), random);
                }
            }
        }
        return Instant.ofEpochSecond(last.getSeconds(), last.getNanos());
    }

    private static void change(PartitionControl partitions, Random random) {
        List<PartitionView> live = partitions.live();
        switch (live.size() < 2 ? 0 : random.nextInt(3)) {
            case 0 -> partitions.split(live.getFirst().token());
            case 1 -> partitions.merge(live.getFirst().token(), live.getLast().token());
            default -> partitions.move(live.getLast().token());
        }
    }

    private static CompletionReason run(SpannerEmulator spanner, Instant start, Instant end) {
        SpreamConfig config = SpreamConfig.of(Map.ofEntries(
                Map.entry("source", "spanner"),
                Map.entry("source.spanner.database", DATABASE),
                Map.entry("source.spanner.stream", "Changes"),
                Map.entry("source.spanner.emulator-host", spanner.emulatorHost()),
                Map.entry("storage", "memory"),
                Map.entry("sink", "kafka"),
                Map.entry("sink.kafka.bootstrap-servers", TestBroker.address()),
                Map.entry("sink.kafka.topic", "{database}.{stream}.{table}"),
                Map.entry("max-inflight", "50"),
                Map.entry("start", start.toString()),
                Map.entry("end", end.toString())));
        try (Spream spream = Spream.create(config)) {
            return spream.run();
        }
    }

    /** A history may be repeated from an earlier version on, and continues from there with every version. */
    private static void check(Map<String, Integer> versions, List<ConsumerRecord<byte[], byte[]>> arrived) {
        Map<String, Integer> seen = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> message : arrived) {
            Mod mod = ChangeRecordJson.readDataChange(new String(message.value(), StandardCharsets.UTF_8))
                    .mods()
                    .getFirst();
            String row = mod.keys().string("Id").orElseThrow();
            int version = Math.toIntExact(mod.newValues().int64("Version").orElseThrow());
            assertThat(version)
                    .as("version of row %s after %s", row, seen.getOrDefault(row, 0))
                    .isBetween(1, seen.getOrDefault(row, 0) + 1);
            seen.put(row, version);
        }
        assertThat(seen).isEqualTo(versions);
    }
}

package dev.spream.sink.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.pubsub.v1.PubsubMessage;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.sink.pubsub.PublisherServer.Reply;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import io.grpc.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * From a change stream whose partitions split, merge and move to a topic whose requests fail, both with Google's clients on one
 * class path: each row's history arrives, in order.
 */
final class SpannerToPubsubIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/demo";
    private static final int TRANSACTIONS = 60;
    private static final int ROWS = 10;

    @Test
    void every_row_arrives_in_order_while_partitions_change_and_requests_fail() throws Exception {
        Random random = new Random(7);
        try (SpannerEmulator spanner = SpannerEmulator.start();
                PublisherServer pubsub = PublisherServer.start()) {
            spanner.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Accounts (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR ALL");
            Instant start = Instant.now();
            Map<String, Integer> versions = new HashMap<>();
            Instant end = write(spanner, random, versions);
            pubsub.script(request ->
                    random.nextInt(10) == 0 ? new Reply.Refuse(Status.FAILED_PRECONDITION) : new Reply.Confirm());
            assertThat(run(spanner, pubsub, start, end)).isEqualTo(CompletionReason.COMPLETED);
            check(versions, pubsub.taken());
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

    private static CompletionReason run(SpannerEmulator spanner, PublisherServer pubsub, Instant start, Instant end) {
        SpreamConfig config = SpreamConfig.of(Map.ofEntries(
                Map.entry("source", "spanner"),
                Map.entry("source.spanner.database", DATABASE),
                Map.entry("source.spanner.stream", "Changes"),
                Map.entry("source.spanner.emulator-host", spanner.emulatorHost()),
                Map.entry("storage", "memory"),
                Map.entry("sink", "pubsub"),
                Map.entry("sink.pubsub.topic", PublisherServer.TOPIC),
                Map.entry("sink.pubsub.emulator-host", pubsub.host()),
                Map.entry("max-inflight", "50"),
                Map.entry("retry.base-delay", "1ms"),
                Map.entry("retry.max-attempts", "unlimited"),
                Map.entry("start", start.toString()),
                Map.entry("end", end.toString())));
        try (Spream spream = Spream.create(config)) {
            return spream.run();
        }
    }

    /** A history may be repeated from an earlier version on, and continues from there with every version. */
    private static void check(Map<String, Integer> versions, List<PubsubMessage> arrived) {
        Map<String, Integer> seen = new HashMap<>();
        for (PubsubMessage message : arrived) {
            Mod mod = ChangeRecordJson.readDataChange(message.getData().toStringUtf8())
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

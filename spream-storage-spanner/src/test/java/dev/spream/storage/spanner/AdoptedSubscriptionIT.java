package dev.spream.storage.spanner;

import static dev.spream.core.partition.PartitionState.FINISHED;
import static dev.spream.core.partition.PartitionState.RUNNING;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.servers.SpannerServer;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The engine continues in an adopted table, after accounts were written and partitions split and merged. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#one")
@Timeout(120)
class AdoptedSubscriptionIT {
    private final AccountDatabase database;
    private final MetadataDatabase metadata;

    AdoptedSubscriptionIT(SpannerServer server, Dialect dialect) {
        this.database = new AccountDatabase(server, dialect);
        this.metadata = MetadataDatabase.of(server, dialect);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_subscriber_continues_where_the_other_reader_stopped() throws Exception {
        Instant start = database.source().serverTime();
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(start)
                .heartbeatInterval(AccountDatabase.HEARTBEAT)
                .build();
        List<DataChangeRecord> delivered = new CopyOnWriteArrayList<>();
        Set<String> written = new HashSet<>();

        var stopped = new InMemoryPartitionStorage();
        try (Subscriber subscriber =
                Subscriber.builder(database.source(), stopped).options(options).build()) {
            var running = CompletableFuture.runAsync(() -> subscriber.run(delivered::add), Thread::startVirtualThread);
            do {
                written.addAll(database.writeAccountsFor(Duration.ofSeconds(1)));
            } while (reached(stopped).compareTo(start) <= 0
                    || stopped.lineage().partitions().size() < 6);
            subscriber.shutdown(Duration.ofSeconds(10));
            running.get(60, SECONDS);
        }
        Instant reached = reached(stopped);

        written.addAll(database.writeAccountsFor(Duration.ofSeconds(1)));
        Instant end = database.source().serverTime();
        PartitionStorage adopted = adopt(stopped.lineage(), end);
        List<DataChangeRecord> deliveredLater = new CopyOnWriteArrayList<>();
        SubscriberOptions second = options.toBuilder().endAt(end).build();
        try (Subscriber subscriber =
                Subscriber.builder(database.source(), adopted).options(second).build()) {
            CompletableFuture.runAsync(() -> subscriber.run(deliveredLater::add), Thread::startVirtualThread)
                    .get(60, SECONDS);
        }

        assertThat(deliveredLater)
                .isNotEmpty()
                .allMatch(change -> !change.commitTimestamp().isBefore(reached));
        Set<String> leftOut = new HashSet<>(written);
        delivered.forEach(change -> leftOut.remove(id(change)));
        deliveredLater.forEach(change -> leftOut.remove(id(change)));
        // Google's emulator leaves out, from a live query, a change at the very end of a slice of its time.
        assertThat(leftOut).hasSizeLessThan(database.isGoogles() ? 5 : 1);
        assertThat(adopted.lineage().partitions()).allMatch(PartitionMetadata::isFinished);
        assertThat(LineageCheck.check(adopted.subscription().orElseThrow(), adopted.lineage(), adopted.proofs())
                        .findings())
                .isEmpty();
    }

    @Test
    void changes_of_a_key_that_moved_before_the_adoption_stay_in_order() throws Exception {
        ForeignTable table = ForeignTable.ofBeam(metadata)
                .endingAt(at(200))
                .row("Parent0", null, ScriptedSource.START, FINISHED, ScriptedSource.START)
                .row("p", null, ScriptedSource.START, RUNNING, at(60))
                .row("q", null, ScriptedSource.START, RUNNING, at(90));
        SpannerPartitionTables.create(metadata.connection(), table.name(), true);
        PartitionStorage storage = SpannerPartitionStorage.open(metadata.connection(), table.name());
        ScriptedSource source = new ScriptedSource()
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .change("p", 65, "A")
                .moves("p", 70, List.of(), List.of("q"))
                .heartbeat("p", 120)
                .moves("q", 70, List.of("p"), List.of())
                .change("q", 80, "A")
                .change("q", 95, "A");
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(ScriptedSource.START)
                .endAt(at(200))
                .maxInflight(10)
                .partitionDiscoveryInterval(Duration.ofMillis(50))
                .watermarkInterval(Duration.ofMillis(20))
                .build();
        List<Instant> delivered = new CopyOnWriteArrayList<>();
        try (Subscriber subscriber =
                Subscriber.builder(source, storage).options(options).build()) {
            CompletableFuture.runAsync(
                            () -> subscriber.run(change -> delivered.add(change.commitTimestamp())),
                            Thread::startVirtualThread)
                    .get(60, SECONDS);
        }

        assertThat(delivered)
                .as("the other reader has delivered the change of 80")
                .containsExactly(at(65), at(80), at(95));
        assertThat(LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                        .findings())
                .isEmpty();
    }

    private static Instant reached(PartitionStorage storage) {
        return storage.lineage().lowWatermark().orElse(Instant.MIN);
    }

    /** Leaves the lineage in a table as Beam would have. */
    private PartitionStorage adopt(Lineage lineage, Instant end) {
        ForeignTable table = ForeignTable.ofBeam(metadata).endingAt(end);
        for (PartitionMetadata partition : lineage.partitions()) {
            List<String> parents =
                    partition.parentTokens().stream().map(PartitionToken::value).toList();
            boolean ofRoot = parents.isEmpty() && !partition.token().isRoot();
            table.row(
                    partition.token().value(),
                    ofRoot ? List.of("Parent0") : parents,
                    partition.startTimestamp(),
                    partition.state(),
                    partition.watermark());
        }
        MetadataSetup setup = SpannerPartitionTables.create(metadata.connection(), table.name(), true);
        assertThat(setup.adopted()).isEqualTo(lineage.partitions().size());
        return SpannerPartitionStorage.open(metadata.connection(), table.name());
    }

    private static String id(DataChangeRecord change) {
        return change.mods().getFirst().keys().string("Id").orElseThrow();
    }
}

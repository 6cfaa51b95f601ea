package dev.spream.storage.spanner;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Looks at the frontier: what they request, and what they receive. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
class FrontierReadsIT {
    private static final int PARTITIONS = 500;
    private static final int WORKERS = 100;

    private final SpannerServer server;
    private final MetadataDatabase database;

    FrontierReadsIT(SpannerServer server, Dialect dialect) {
        this.server = server;
        this.database = MetadataDatabase.of(server, dialect);
    }

    @Test
    void a_look_without_changes_receives_one_row_by_two_requests() {
        ReceivedRows received = new ReceivedRows();
        try (SpannerStorageFixture fixture = new SpannerStorageFixture(database);
                Spanner counted = counted(received)) {
            PartitionStorage storage = fixture.storage();
            List<PartitionLease> leases = acquired(new StorageScenario(fixture));
            for (int i = 0; i < WORKERS; i++) {
                Optional<WorkerProgress> progress = Optional.of(new WorkerProgress(Optional.of(at(i)), at(200 - i)));
                storage.registerWorker(new WorkerId("worker" + i), 10, false, progress, LEASE);
            }
            FrontierReads reads = new FrontierReads(
                    counted.getDatabaseClient(databaseId()),
                    new MetadataTables(fixture.table(), database.dialect()),
                    new DatabaseCalls(fixture.table(), Duration.ofSeconds(30)));
            FrontierChanges first = reads.since(Optional.empty(), Set.of());
            assertThat(first.partitions().partitions()).hasSize(PARTITIONS);
            storage.renew(leases, LEASE.multipliedBy(2));
            assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(leases.getLast(), at(9)))))
                    .isEmpty();
            received.reset();

            FrontierChanges second = reads.since(first.mark(), Set.of());
            assertThat(second.partitions().partitions()).isEmpty();
            assertThat(second.workers().changed()).isEmpty();
            assertThat(second.workers().progress())
                    .contains(new WorkerProgress(Optional.of(at(0)), at(200 - WORKERS + 1)));
            assertThat(received.requests()).isEqualTo(2);
            assertThat(received.rows()).isEqualTo(1);

            storage.release(leases.subList(0, 3));
            received.reset();
            assertThat(reads.since(second.mark(), Set.of(leases.getLast().token()))
                            .partitions()
                            .partitions())
                    .extracting(PartitionMetadata::token)
                    .containsExactlyInAnyOrder(
                            leases.get(0).token(),
                            leases.get(1).token(),
                            leases.get(2).token(),
                            leases.getLast().token());
            assertThat(received.requests()).isEqualTo(3);
            assertThat(received.rows()).isEqualTo(1 + 3 + 4);
        }
    }

    /** Returns the leases on all partitions, of which the last is running. */
    private static List<PartitionLease> acquired(StorageScenario scenario) {
        PartitionStorage storage = scenario.storage();
        String[] tokens = IntStream.range(0, PARTITIONS).mapToObj(i -> "p" + i).toArray(String[]::new);
        PartitionLease root = scenario.runningRoot(ANN);
        scenario.add(root, 1, tokens);
        scenario.finish(root, 1, tokens);
        List<PartitionClaim> claims =
                storage.frontier().partitions().stream().map(PartitionClaim::of).toList();
        List<PartitionLease> leases = storage.acquire(ANN, claims, LEASE);
        storage.markRunning(leases.getLast());
        return leases;
    }

    private Spanner counted(ReceivedRows received) {
        return SpannerOptions.newBuilder()
                .setProjectId(databaseId().getInstanceId().getProject())
                .setEmulatorHost(server.emulatorHost())
                .setInterceptorProvider(() -> List.of(received))
                .build()
                .getService();
    }

    private DatabaseId databaseId() {
        DatabaseName name = database.connection().database();
        return DatabaseId.of(name.project(), name.instance(), name.database());
    }

    @Test
    void a_text_that_is_no_mark_is_refused() {
        try (SpannerStorageFixture fixture = new SpannerStorageFixture(database)) {
            assertThatThrownBy(() -> fixture.storage().frontierSince(Optional.of("17"), Set.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'17' is not a mark of this storage");
        }
    }
}

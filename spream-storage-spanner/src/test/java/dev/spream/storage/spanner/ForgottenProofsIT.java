package dev.spream.storage.spanner;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.ForgottenProofs;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the search for proofs to forget in each dialect, and of a correction between the search and the removal. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
final class ForgottenProofsIT {
    private static final Instant LATER = Instant.parse("9000-01-01T00:00:00Z");

    private final MetadataDatabase database;
    private final String table;
    private final SpannerStorageFixture fixture;
    private final PartitionStorage storage;
    private final PartitionLease held;

    ForgottenProofsIT(SpannerServer server, Dialect dialect) {
        this.database = MetadataDatabase.of(server, dialect);
        this.fixture = new SpannerStorageFixture(database);
        this.table = fixture.table();
        this.storage = fixture.storage();
        this.held = read(new StorageScenario(fixture));
    }

    /** Reads the root, a until second 5, b until second 9, and returns the lease on c. */
    private static PartitionLease read(StorageScenario given) {
        PartitionLease root = given.runningRoot(ANN);
        given.add(root, 0, "a");
        given.finish(root, 0, "a");
        PartitionLease a = given.running(ANN, "a");
        given.add(a, 5, "b");
        given.finish(a, 5, "b");
        PartitionLease b = given.running(ANN, "b");
        given.add(b, 9, "c");
        given.finish(b, 9, "c");
        PartitionLease c = given.running(ANN, "c");
        assertThat(given.storage().cleanUp(LATER)).isEqualTo(2);
        return c;
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_proof_is_forgotten_and_the_others_are_counted() {
        assertThat(storage.forgetProofs(LATER)).isEqualTo(1);
        assertThat(storage.proofs()).extracting(FinishedPartition::token).containsExactly(PartitionToken.ROOT);
        assertThat(forgotten()).contains(new ForgottenProofs(at(5).plusNanos(1), 2));
        assertThat(storage.forgetProofs(LATER)).isZero();
    }

    @Test
    void nothing_is_forgotten_after_a_correction_that_removed_all() {
        MetadataTables tables = new MetadataTables(table, database.dialect());
        DatabaseCalls calls = new DatabaseCalls(table, Duration.ofSeconds(30));
        ProofsToForget found = new MetadataReads(database.client(), tables, calls)
                .proofsToForget(LATER)
                .orElseThrow();
        storage.release(List.of(held));
        assertThat(storage.correct(
                        new Correction.BeginAnew(Optional.empty(), Optional.empty()), new CorrectionAct("ann", "anew")))
                .isInstanceOf(CorrectionOutcome.Planned.class);

        GroupWriter writer = new GroupWriter(database.client(), tables, calls, database.connection()::rollBack);
        assertThat(writer.write(found.remove())).isZero();

        assertThat(forgotten()).isEmpty();
    }

    private Optional<ForgottenProofs> forgotten() {
        return storage.subscription().orElseThrow().forgotten();
    }
}

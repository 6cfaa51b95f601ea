package dev.spream.storage.spanner;

import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionState;
import dev.spream.servers.SpannerServer;
import dev.spream.testkit.partition.PartitionStorageContract;
import dev.spream.testkit.partition.PartitionStorageFixture;
import dev.spream.testkit.partition.StorageScenario;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of partition storages, in Spanner. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#one")
@Timeout(120)
final class SpannerPartitionStorageIT extends PartitionStorageContract {
    private final MetadataDatabase database;

    SpannerPartitionStorageIT(SpannerServer server, Dialect dialect) {
        this.database = MetadataDatabase.of(server, dialect);
    }

    @Override
    protected PartitionStorageFixture createFixture() {
        return new SpannerStorageFixture(database);
    }

    /** A state of 5,000 partitions fits into a commit; one with their finished parents does not, and nothing is written. */
    @Test
    void a_replaced_state_fits_into_a_commit_or_is_refused() {
        try (SpannerStorageFixture fixture = new SpannerStorageFixture(database)) {
            PartitionStorage storage = fixture.storage();
            storage.openSubscription(SUBSCRIPTION);
            CorrectionAct act = new CorrectionAct("ann@host", "back from another reader");
            Lineage before = storage.lineage();

            CorrectionOutcome refused = storage.correct(new Correction.Replace(state(5_000, 5_000)), act);

            assertThat(refused)
                    .isInstanceOfSatisfying(
                            CorrectionOutcome.Refused.class,
                            outcome -> assertThat(outcome.reason())
                                    .contains("writes 10001 partitions", "Spanner takes 80000 in a commit")
                                    .endsWith("at " + at(20) + ": changes since then are delivered again"));
            assertThat(storage.lineage().partitions()).containsExactlyElementsOf(before.partitions());
            assertThat(storage.corrections()).isEmpty();

            assertThat(storage.correct(new Correction.Replace(state(1_000, 0)), act))
                    .isInstanceOf(CorrectionOutcome.Planned.class);
            assertThat(storage.lineage().partitions()).hasSize(1_001);
            assertThat(storage.correct(
                            new Correction.AddGap(new PartitionGap(SUBSCRIPTION.startTimestamp(), at(50)), Set.of()),
                            act))
                    .isInstanceOf(CorrectionOutcome.Planned.class);
            assertThat(storage.lineage().lowWatermark()).contains(at(50));
        }
    }

    private static SubscriptionState state(int unfinished, int finished) {
        return new SubscriptionState(
                SUBSCRIPTION,
                IntStream.range(0, unfinished)
                        .mapToObj(number -> PartitionMetadata.created(
                                token("partition" + number),
                                finished == 0 ? List.of() : tokens("parent" + number % finished),
                                at(20),
                                at(20)))
                        .toList(),
                IntStream.range(0, finished)
                        .mapToObj(number -> new FinishedPartition(
                                token("parent" + number),
                                List.of(),
                                at(1),
                                StorageScenario.endedInto(20, "partition" + number),
                                at(21),
                                List.of()))
                        .toList());
    }
}

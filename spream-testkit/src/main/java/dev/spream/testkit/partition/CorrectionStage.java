package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The stage of the contracts of corrections: the corrections, what they answer, and the records that they write. */
interface CorrectionStage extends StorageScenario.Stage {
    CorrectionAct ACT = new CorrectionAct("ann@host", "it's the wrong end; \"Größe\"");
    Instant END = at(3600);
    PartitionToken SNAPSHOT = new PartitionToken("snapshot:tables:7");

    static Correction.AddSnapshot added(long second, boolean again, String... tables) {
        return new Correction.AddSnapshot(
                at(second),
                Arrays.stream(tables)
                        .collect(Collectors.toMap(
                                table -> table, table -> token(PartitionToken.ADDED_SNAPSHOT + table))),
                again);
    }

    default void assertBegunAnew(Instant start) {
        assertThat(given().storage().proofs()).isEmpty();
        assertThat(given().storedTokens()).containsExactly(PartitionToken.ROOT);
        PartitionMetadata root = given().partition("Parent0");
        assertThat(root)
                .usingRecursiveComparison()
                .ignoringFields("createdAt")
                .isEqualTo(startingAt(start).root(root.createdAt()));
        assertThat(given().storage().frontier().partitions()).containsExactly(root);
    }

    default LineageReport assertProven() {
        PartitionStorage storage = given().storage();
        LineageReport report =
                LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs());
        assertThat(report.findings())
                .as("findings, but for the first second, before the children of the initial query")
                .allSatisfy(finding -> assertThat(finding.partitions()).containsExactly(PartitionToken.ROOT));
        return report;
    }

    /** Moves the watermark of a partition and releases it; returns what is stored then. */
    default PartitionMetadata idle(PartitionLease lease, long watermark) {
        given().advance(lease, at(watermark));
        given().storage().release(List.of(lease));
        return given().partition(lease);
    }

    default CorrectionPlan corrected(Correction correction) {
        CorrectionPlan plan = planned(given().storage().correct(correction, ACT));
        assertThat(plan.changesNothing()).as("%s changes nothing", correction).isFalse();
        return plan;
    }

    static CorrectionPlan planned(CorrectionOutcome outcome) {
        assertThat(outcome).isInstanceOf(CorrectionOutcome.Planned.class);
        return ((CorrectionOutcome.Planned) outcome).plan();
    }

    default String refused(Correction correction) {
        CorrectionOutcome outcome = given().storage().correct(correction, ACT);
        assertThat(outcome).as("%s", correction).isInstanceOf(CorrectionOutcome.Refused.class);
        return ((CorrectionOutcome.Refused) outcome).reason();
    }

    static SubscriptionRecord until(Optional<Instant> end) {
        return record(SUBSCRIPTION.startTimestamp(), end);
    }

    static SubscriptionRecord startingAt(Instant start) {
        return record(start, SUBSCRIPTION.endTimestamp());
    }

    static SubscriptionRecord withSnapshot(Instant start, PartitionToken query) {
        return new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                start,
                SUBSCRIPTION.endTimestamp(),
                SUBSCRIPTION.heartbeatInterval(),
                SUBSCRIPTION.partitionMode(),
                false,
                Optional.of(query));
    }

    static SubscriptionRecord record(Instant start, Optional<Instant> end) {
        return new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                start,
                end,
                SUBSCRIPTION.heartbeatInterval(),
                SUBSCRIPTION.partitionMode(),
                false);
    }

    static PartitionGap gap(long fromSeconds, long toSeconds) {
        return new PartitionGap(at(fromSeconds), at(toSeconds));
    }
}

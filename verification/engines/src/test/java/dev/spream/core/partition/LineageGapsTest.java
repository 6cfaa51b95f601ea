package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.LineageFinding.Kind;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The check of destinations that started in a gap of a stream with mutable key ranges: a source ended at second 2, and its
 * keys went to a destination that is read from second 5 on.
 */
final class LineageGapsTest {
    private static final Instant SOURCE_FINISHED = at(60);
    private static final PartitionGap GAP = new PartitionGap(at(1), at(5));

    private final PartitionMetadata source = row("source", 0, 2, 50, "destination");
    private final PartitionMetadata destination = row("destination", 5, 9, 70);
    private final PartitionMetadata other = row("other", 0, 9, 50);

    @Test
    void a_destination_that_starts_later_is_found_where_there_is_no_gap() {
        assertThat(kinds(source, destination, other)).containsExactly(Kind.TIME_UNCOVERED);
    }

    @Test
    void a_destination_that_started_in_the_gap_of_a_partition_is_found_at_its_end_and_is_no_finding() {
        assertThat(kinds(source, destination, lost(other, GAP))).isEmpty();
    }

    @Test
    void the_gap_has_to_cover_the_time_from_the_end_of_the_source_on() {
        assertThat(kinds(source, destination, lost(other, new PartitionGap(at(3), at(5)))))
                .containsExactly(Kind.TIME_UNCOVERED);
    }

    @Test
    void the_destination_has_to_start_where_a_gap_ends() {
        PartitionMetadata longer = lost(other, new PartitionGap(at(1), at(6)));
        assertThat(kinds(source, destination, longer)).containsExactly(Kind.TIME_UNCOVERED);
        PartitionMetadata shorter = lost(row("another", 0, 9, 50), new PartitionGap(at(4), at(5)));
        assertThat(kinds(source, destination, longer, shorter))
                .as("found by the one that lost less")
                .isEmpty();
    }

    @Test
    void a_destination_that_was_stored_before_the_source_was_finished_may_have_been_named_by_it() {
        PartitionMetadata early = row("destination", 5, 9, 55);
        assertThat(kinds(source, early, lost(other, GAP))).containsExactly(Kind.TIME_UNCOVERED);
        assertThat(kinds(lost(source, GAP), early, other))
                .as("it ended in its own gap")
                .isEmpty();
    }

    @Test
    void
            a_destination_that_is_stored_in_the_place_of_a_lost_partition_is_no_finding_before_the_end_of_that_is_stored() {
        PartitionMetadata inItsPlace = PartitionEdit.of(destination).parents(tokens("other"));
        PartitionMetadata expired = lost(row("other", 0, 5, 50), GAP);
        assertThat(kinds(source, inItsPlace, expired)).isEmpty();
        assertThat(kinds(source, inItsPlace, lost(expired, new PartitionGap(at(1), at(4)))))
                .containsExactly(Kind.TIME_UNCOVERED);
    }

    private static List<Kind> kinds(PartitionMetadata... partitions) {
        SubscriptionRecord subscription = new SubscriptionRecord(
                "Orders", at(0), Optional.empty(), Duration.ofSeconds(1), PartitionMode.MUTABLE_KEY_RANGE, false);
        FinishedPartition root = new FinishedPartition(
                PartitionToken.ROOT,
                List.of(),
                at(0),
                PartitionEnd.childPartitions(at(0), tokens("source", "other")),
                at(50),
                List.of());
        return LineageCheck.check(subscription, Lineage.of(List.of(partitions), at(100)), List.of(root))
                .findings()
                .stream()
                .map(LineageFinding::kind)
                .filter(Kind.TIME_UNCOVERED::equals)
                .toList();
    }

    private static PartitionMetadata lost(PartitionMetadata partition, PartitionGap gap) {
        return PartitionEdit.of(partition).gaps(gap);
    }

    /** Returns a partition that is finished if it has a destination. */
    private static PartitionMetadata row(
            String token, long start, long watermark, long createdAt, String... destinations) {
        boolean finished = destinations.length > 0;
        return new PartitionMetadata(
                StorageScenario.token(token),
                List.of(),
                at(start),
                finished ? PartitionState.FINISHED : PartitionState.RUNNING,
                at(watermark),
                1,
                Optional.empty(),
                Optional.empty(),
                false,
                finished
                        ? Optional.of(PartitionEnd.partitionEnd(at(watermark), tokens(destinations)))
                        : Optional.empty(),
                at(createdAt),
                Optional.of(at(createdAt)),
                Optional.of(at(createdAt)),
                finished ? Optional.of(SOURCE_FINISHED) : Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }
}

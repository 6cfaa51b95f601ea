package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Validation in the values of this package. */
final class PartitionTypesTest {

    @Test
    void an_end_proof_by_children_names_some_and_a_bounded_end_names_none() {
        assertThat(PartitionEnd.childPartitions(at(1), tokens("a")).kind())
                .isEqualTo(PartitionEnd.Kind.CHILD_PARTITIONS);
        assertThat(PartitionEnd.boundedEnd(at(1)).children()).isEmpty();
        assertThatThrownBy(() -> PartitionEnd.childPartitions(at(1), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an end by CHILD_PARTITIONS cannot have 0 children");
        assertThatThrownBy(() -> new PartitionEnd(PartitionEnd.Kind.BOUNDED_END, at(1), tokens("a", "b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an end by BOUNDED_END cannot have 2 children");
        for (PartitionEnd.Kind kind : List.of(PartitionEnd.Kind.PARTITION_END, PartitionEnd.Kind.RETENTION_LOST)) {
            assertThat(new PartitionEnd(kind, at(1), List.of()).children()).isEmpty();
            assertThat(new PartitionEnd(kind, at(1), tokens("a")).children()).hasSize(1);
        }
    }

    @Test
    void an_end_proof_does_not_change_with_the_list_it_was_made_from() {
        List<PartitionToken> children = new ArrayList<>(tokens("a"));
        PartitionEnd proof = PartitionEnd.childPartitions(at(1), children);
        children.add(token("b"));
        assertThat(proof.children()).isEqualTo(tokens("a"));
    }

    @Test
    void a_token_is_not_empty_and_the_root_has_its_own() {
        assertThatThrownBy(() -> new PartitionToken(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be empty");
        assertThat(new PartitionToken("Parent0").isRoot()).isTrue();
        assertThat(token("parent0").isRoot()).isFalse();
        assertThat(PartitionToken.ROOT).hasToString("Parent0");
    }

    @Test
    void a_token_is_abbreviated_to_its_end() {
        assertThat(token("12345678").abbreviated()).isEqualTo("12345678");
        assertThat(token("123456789").abbreviated()).isEqualTo("…23456789");
    }

    @Test
    void tokens_compare_as_text() {
        assertThat(tokens("b", "B", "_", "a", "10", "9").stream().sorted())
                .containsExactlyElementsOf(tokens("10", "9", "B", "_", "a", "b"));
    }

    @Test
    void a_worker_id_has_1_to_200_characters_and_is_never_reused() {
        assertThat(new WorkerId("x".repeat(200)).value()).hasSize(200);
        for (String wrong : List.of("", "x".repeat(201))) {
            assertThatThrownBy(() -> new WorkerId(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a worker id has 1 to 200 characters, not " + wrong.length());
        }
        assertThat(WorkerId.random()).isNotEqualTo(WorkerId.random());
    }

    @Test
    void a_lease_was_acquired_at_least_once() {
        assertThat(new PartitionLease(token("a"), ANN, 1, at(0)).epoch()).isEqualTo(1);
        assertThatThrownBy(() -> new PartitionLease(token("a"), ANN, 0, at(0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("epoch is 0");
    }

    @Test
    void a_subscription_ends_where_it_starts_or_later() {
        assertThat(subscription(0, 0).endTimestamp()).contains(at(0));
        assertThatThrownBy(() -> subscription(1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("endTimestamp %s is before startTimestamp %s", at(0), at(1));
    }

    @Test
    void a_partition_has_no_watermark_before_its_start_and_no_negative_epoch() {
        PartitionMetadata created = PartitionMetadata.created(token("a"), tokens("b"), at(5), at(0));
        assertThat(created.watermark()).isEqualTo(at(5));
        assertThat(created.state()).isEqualTo(PartitionState.CREATED);
        assertThatThrownBy(() -> partition(at(5).minusNanos(1), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("partition a: watermark %s is before", at(5).minusNanos(1));
        assertThatThrownBy(() -> partition(at(5), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("partition a: epoch -1 is negative");
    }

    @Test
    void a_gap_ends_after_its_start() {
        assertThat(new PartitionGap(at(1), at(1).plusNanos(1)).to()).isEqualTo(at(1).plusNanos(1));
        for (Instant to : List.of(at(1), at(0))) {
            assertThatThrownBy(() -> new PartitionGap(at(1), to))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a gap must end after its start: from %s, to %s", at(1), to);
        }
    }

    @Test
    void gaps_do_not_change_with_the_list_they_were_made_from() {
        List<PartitionGap> gaps = new ArrayList<>(List.of(new PartitionGap(at(5), at(6))));
        PartitionMetadata partition = partition(at(6), 1, gaps);
        FinishedPartition proof =
                new FinishedPartition(token("a"), List.of(), at(5), PartitionEnd.boundedEnd(at(9)), at(0), gaps);
        gaps.clear();
        assertThat(partition.gaps()).hasSize(1);
        assertThat(proof.gaps()).hasSize(1);
    }

    @Test
    void a_claim_takes_the_epoch_of_the_snapshot() {
        assertThat(PartitionClaim.of(partition(at(5), 7))).isEqualTo(new PartitionClaim(token("a"), 7));
    }

    private static SubscriptionRecord subscription(long start, long end) {
        return new SubscriptionRecord(
                "Orders",
                at(start),
                Optional.of(at(end)),
                Duration.ofSeconds(1),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false);
    }

    private static PartitionMetadata partition(Instant watermark, long epoch) {
        return partition(watermark, epoch, List.of());
    }

    private static PartitionMetadata partition(Instant watermark, long epoch, List<PartitionGap> gaps) {
        return new PartitionMetadata(
                token("a"),
                List.of(),
                at(5),
                PartitionState.SCHEDULED,
                watermark,
                epoch,
                Optional.of(ANN),
                Optional.empty(),
                false,
                Optional.empty(),
                at(0),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                gaps,
                Optional.empty(),
                Optional.empty());
    }
}

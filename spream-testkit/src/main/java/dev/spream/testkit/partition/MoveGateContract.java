package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.BOB;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.moveIn;
import static dev.spream.testkit.partition.StorageScenario.moveOuts;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The contract of the gate over stored moves: the lineage and the frontier give the same result for a partition that
 * waits for the sources of a move-in, and clean-up keeps the sources that an unfinished partition names.
 */
interface MoveGateContract extends StorageScenario.Stage {

    @Test
    default void a_partition_waits_until_the_watermark_of_its_source_is_later_than_the_move() {
        PartitionLease source = waitingForSource();
        requireWaiting("created");
        given().advance(source, at(4));
        requireWaiting("before the move");
        given().advance(source, at(5).minusNanos(1));
        requireWaiting("a nanosecond before the move");
        given().advance(source, at(5));
        requireWaiting("at the move");
        given().advance(source, at(5).plusNanos(1));
        requireClaimable("a nanosecond after the move");
    }

    @Test
    default void a_partition_waits_at_the_move_until_it_is_a_destination_of_its_source() {
        PartitionLease source = waitingForSource();
        given().advance(source, at(4), moveOuts("1", "waiting"));
        requireWaiting("its source moved keys to it before");
        given().advance(source, at(5), moveOuts("1", "another"));
        requireWaiting("its source moved keys to another partition");
        given().advance(source, at(5), moveOuts("2", "waiting"));
        requireClaimable("its source moved keys to it");
        given().advance(source, at(6));
        requireClaimable("and stays so");
    }

    @Test
    default void a_partition_waits_for_each_of_its_sources() {
        given().created("s1", "s2", "waiting");
        PartitionLease first = given().running(BOB, "s1");
        PartitionLease second = given().running(BOB, "s2");
        waits(moveIn(5, "s1", "s2"));
        requireWaiting("for both");
        given().advance(second, at(5), moveOuts("1", "waiting"));
        requireWaiting("for the first");
        assertThat(given().storage().frontier().awaitedSources(given().partition("waiting")))
                .isEqualTo(tokens("s1"));
        given().advance(first, at(6));
        requireClaimable("both moved out");
    }

    @Test
    default void partitions_that_swap_keys_at_one_time_continue_both() {
        given().created("a", "b");
        PartitionLease a = given().running(ANN, "a");
        PartitionLease b = given().running(BOB, "b");
        given().waitForMoveIn(a, moveIn(5, "b"));
        given().waitForMoveIn(b, moveIn(5, "a"));
        given().advance(a, at(5), moveOuts("1", "b"));
        given().advance(b, at(5), moveOuts("1", "a"));
        given().storage().release(List.of(a, b));
        for (Lineage lineage : snapshots()) {
            assertThat(lineage.claimable()).extracting(PartitionMetadata::token).isEqualTo(tokens("a", "b"));
        }
    }

    @Test
    default void a_partition_whose_watermark_is_later_than_the_move_waits_no_more() {
        given().created("source", "waiting");
        PartitionLease waiting = given().running(ANN, "waiting");
        given().running(BOB, "source");
        given().waitForMoveIn(waiting, moveIn(5, "source"));
        given().advance(waiting, at(5));
        given().storage().release(List.of(waiting));
        requireWaiting("its watermark is that of the move");
        PartitionLease again = given().running(ANN, "waiting");
        given().advance(again, at(5).plusNanos(1));
        given().storage().release(List.of(again));
        requireClaimable("its watermark is later, though that of the source is earlier");
    }

    @Test
    default void a_source_that_is_not_stored_is_awaited_while_it_may_be_discovered() {
        given().created("other", "created", "waiting");
        PartitionLease other = given().running(BOB, "other");
        PartitionLease created = given().acquired(BOB, "created");
        waits(moveIn(5, "not stored"));
        given().advance(other, at(5));
        requireWaiting("a scheduled partition has a watermark before the move");
        given().storage().markRunning(created);
        given().advance(created, at(5).minusNanos(1));
        requireWaiting("and so has a running one");
        given().advance(created, at(5));
        requireClaimable("every other watermark is that of the move or later");
    }

    @Test
    default void a_finished_source_is_in_the_frontier_and_not_awaited() {
        given().created("source", "other", "waiting", "finished");
        given().running(BOB, "other");
        finish(given().running(BOB, "finished"), at(3));
        waits(moveIn(5, "source"));
        finish(given().running(BOB, "source"), at(3));
        assertThat(tokensOf(given().storage().frontier())).isEqualTo(tokens("other", "source", "waiting"));
        assertThat(given().storage().frontier().partition(token("source"))).contains(given().partition("source"));
        requireClaimable("its source is finished, and another partition is before the move");
    }

    @Test
    default void a_finished_source_stays_until_no_unfinished_partition_names_it() {
        given().created("s1", "s2", "other", "waiting");
        PartitionLease other = given().running(BOB, "other");
        finish(given().running(BOB, "s1"), at(3));
        finish(given().running(BOB, "s2"), at(3));
        PartitionLease waiting = given().running(ANN, "waiting");
        given().waitForMoveIn(waiting, moveIn(5, "s2", "s1"));
        given().storage().release(List.of(waiting));

        assertThat(cleanUp()).as("the root alone").isEqualTo(1);
        assertThat(given().storedTokens()).isEqualTo(tokens("other", "s1", "s2", "waiting"));
        requireClaimable("after clean-up");

        PartitionLease again = given().running(ANN, "waiting");
        given().advance(again, at(6));
        assertThat(cleanUp()).as("the move-in is still stored").isZero();
        given().waitForMoveIn(again, moveIn(6, "s1"));
        assertThat(cleanUp()).as("s2, which the later move-in does not name").isEqualTo(1);
        assertThat(given().storedTokens()).isEqualTo(tokens("other", "s1", "waiting"));
        assertThat(tokensOf(given().storage().frontier())).isEqualTo(tokens("other", "s1", "waiting"));

        finish(again, at(7));
        assertThat(tokensOf(given().storage().frontier())).isEqualTo(tokens("other"));
        assertThat(cleanUp()).as("s1 and the partition that named it").isEqualTo(2);
        assertThat(given().storedTokens()).isEqualTo(List.of(other.token()));
    }

    /** Stores that {@code waiting} waits from second 5 for {@code source}, whose lease is returned. */
    private PartitionLease waitingForSource() {
        given().created("source", "waiting");
        PartitionLease source = given().running(BOB, "source");
        waits(moveIn(5, "source"));
        return source;
    }

    private void waits(MoveIn moveIn) {
        PartitionLease waiting = given().running(ANN, "waiting");
        given().waitForMoveIn(waiting, moveIn);
        given().storage().release(List.of(waiting));
    }

    private void requireWaiting(String when) {
        for (Lineage lineage : snapshots()) {
            assertThat(tokensOf(lineage.claimable())).as(when).doesNotContain(token("waiting"));
        }
    }

    private void requireClaimable(String when) {
        for (Lineage lineage : snapshots()) {
            assertThat(tokensOf(lineage.claimable())).as(when).contains(token("waiting"));
        }
    }

    private List<Lineage> snapshots() {
        return List.of(
                given().storage().lineage(),
                given().storage().frontier(),
                given().anotherConnection().frontier());
    }

    private void finish(PartitionLease lease, Instant end) {
        assertThat(given().storage().finish(lease, end, PartitionEnd.partitionEnd(end, List.of())))
                .isTrue();
    }

    private int cleanUp() {
        Instant later = given().storage().lineage().readAt().plusSeconds(60);
        return given().storage().cleanUp(later);
    }

    private static List<PartitionToken> tokensOf(Lineage lineage) {
        return tokensOf(List.copyOf(lineage.partitions()));
    }

    private static List<PartitionToken> tokensOf(List<PartitionMetadata> partitions) {
        return partitions.stream().map(PartitionMetadata::token).toList();
    }
}

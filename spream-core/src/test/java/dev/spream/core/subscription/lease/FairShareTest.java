package dev.spream.core.subscription.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FairShareTest {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final Instant NOW = START.plusSeconds(3600);

    private final List<PartitionMetadata> partitions = new ArrayList<>();
    private final List<WorkerRegistration> members = new ArrayList<>();

    @Test
    void a_worker_alone_claims_all_that_is_free() {
        member("ann", 10);
        free("a", "b", "c");

        FairShare share = share("ann");

        assertThat(tokens(share.claims())).containsExactly("a", "b", "c");
        assertThat(share.othersClaims()).isEmpty();
        assertThat(share.surplus()).isZero();
        assertThat(share.due()).isZero();
    }

    @Test
    void workers_that_see_the_same_divide_what_is_free_without_a_rest() {
        member("ann", 10);
        member("bob", 10);
        member("cy", 10);
        held("ann", "x", "y");
        free("a", "b", "c", "d", "e");

        assertThat(tokens(share("ann").claims())).containsExactly("e");
        assertThat(tokens(share("bob").claims())).containsExactly("a", "c");
        assertThat(tokens(share("cy").claims())).containsExactly("b", "d");
        assertThat(share("ann").surplus()).isZero();
    }

    @Test
    void
            the_children_of_a_split_stay_with_the_worker_that_finished_their_parent_while_it_has_no_more_than_the_others() {
        member("ann", 10);
        member("bob", 10);
        held("ann", "x");
        held("bob", "y");
        finished("bob", "parent");
        child("left", "parent");
        child("right", "parent");

        assertThat(tokens(share("bob").claims())).containsExactly("left");
        assertThat(tokens(share("ann").claims())).containsExactly("right");

        held("ann", "x2");
        assertThat(tokens(share("bob").claims())).containsExactly("left", "right");
        assertThat(share("ann").claims()).isEmpty();
    }

    @Test
    void a_worker_that_joins_is_given_its_share_by_those_that_have_most() {
        member("ann", 10);
        member("bob", 10);
        held("ann", "a1", "a2", "a3", "a4");
        held("bob", "b1", "b2", "b3", "b4");
        member("cy", 10);

        assertThat(share("ann").surplus()).isEqualTo(1);
        assertThat(share("bob").surplus()).isEqualTo(1);
        assertThat(share("cy").due()).isEqualTo(2);
        assertThat(share("cy").surplus()).isZero();
    }

    @Test
    void shares_that_differ_by_one_stay_as_they_are() {
        member("ann", 10);
        member("bob", 10);
        held("ann", "a1", "a2");
        held("bob", "b1");
        assertThat(share("ann").surplus()).isZero();
        assertThat(share("bob").due()).isZero();
    }

    @Test
    void partitions_being_handed_over_are_not_handed_over_again() {
        member("ann", 10);
        member("bob", 10);
        held("ann", "a1", "a2", "a3", "a4");
        assertThat(share("ann").surplus()).isEqualTo(2);
        assertThat(share("ann", "a1", "a2").surplus()).isZero();
        assertThat(share("ann", "a1").surplus()).isEqualTo(1);
    }

    @Test
    void a_partition_handed_over_and_claimed_by_another_worker_counts_as_its_share() {
        member("ann", 10);
        member("bob", 10);
        held("ann", "a1", "a2");
        held("bob", "a3", "a4");
        assertThat(share("ann", "a3", "a4").surplus()).isZero();
        assertThat(share("ann", "a3", "a4").due()).isZero();
    }

    @Test
    void released_partitions_are_left_to_the_worker_with_the_fewest() {
        member("ann", 10);
        member("bob", 10);
        held("ann", "a1", "a2");
        free("a3", "a4");
        assertThat(share("ann", "a3", "a4").claims()).isEmpty();
        assertThat(tokens(share("bob").claims())).containsExactly("a3", "a4");
    }

    @Test
    void a_worker_takes_no_more_than_it_can() {
        member("ann", 2);
        member("bob", 10);
        held("ann", "a1");
        free("a", "b", "c", "d", "e", "f");
        assertThat(share("ann").claims()).hasSize(1);
        assertThat(share("bob").claims()).hasSize(5);
        assertThat(share("bob").surplus()).as("ann cannot take more").isZero();
    }

    @Test
    void partitions_beyond_all_capacities_stay_unclaimed() {
        member("ann", 1);
        member("bob", 1);
        free("a", "b", "c");
        assertThat(tokens(share("ann").unclaimed())).containsExactly("c");
        assertThat(tokens(share("bob").unclaimed())).containsExactly("c");
    }

    @Test
    void partitions_of_a_departed_worker_count_for_no_share() {
        member("ann", 10);
        member("bob", 10);
        held("gone", "g1", "g2", "g3");
        held("ann", "a1");
        assertThat(share("ann").surplus()).isZero();
        assertThat(share("bob").due()).isZero();
    }

    /**
     * Workers that act in turn on what they see become stable: no worker has two more than another that could take one,
     * nothing is free that a worker could take, and no partition is moved more often than needed.
     */
    @Test
    void workers_that_act_in_turn_come_to_rest_with_even_shares() {
        for (long seed = 1; seed <= 2_000; seed++) {
            Random random = new Random(seed);
            partitions.clear();
            members.clear();
            int workers = 1 + random.nextInt(5);
            IntStream.range(0, workers).forEach(i -> member("w" + i, 1 + random.nextInt(12)));
            int count = random.nextInt(30);
            for (int i = 0; i < count; i++) {
                int owner = random.nextInt(workers + 1);
                if (owner < workers && load("w" + owner) < members.get(owner).capacity()) {
                    held("w" + owner, "p%02d".formatted(i));
                } else {
                    free("p%02d".formatted(i));
                }
            }
            Map<String, Integer> before = loads();
            int given = 0;
            int rounds = 0;
            for (boolean moving = true; moving; rounds++) {
                assertThat(rounds).as("seed %d: rounds", seed).isLessThan(20);
                moving = false;
                for (WorkerRegistration member : members) {
                    FairShare share = share(member.worker().value());
                    share.claims().forEach(partition -> become(partition, member.worker()));
                    List<PartitionMetadata> surplus = partitions.stream()
                            .filter(partition -> partition.owner().equals(Optional.of(member.worker())))
                            .limit(share.surplus())
                            .toList();
                    surplus.forEach(partition -> become(partition, null));
                    given += surplus.size();
                    moving |= !share.claims().isEmpty() || !surplus.isEmpty();
                }
            }
            assertRest(seed);
            assertThat(given).as("seed %d: partitions given", seed).isLessThanOrEqualTo(surplusOf(before));
        }
    }

    private void assertRest(long seed) {
        int most = loads().values().stream().mapToInt(Integer::intValue).max().orElse(0);
        boolean free =
                partitions.stream().anyMatch(partition -> partition.owner().isEmpty());
        for (WorkerRegistration member : members) {
            int load = load(member.worker().value());
            assertThat(load).as("seed %d: capacity", seed).isLessThanOrEqualTo(member.capacity());
            if (load < member.capacity()) {
                assertThat(most - load).as("seed %d: shares %s", seed, loads()).isLessThan(2);
                assertThat(free).as("seed %d: something is free", seed).isFalse();
            }
        }
    }

    /** Returns the maximum number of partitions above the average: more never have to move. */
    private int surplusOf(Map<String, Integer> before) {
        int low = loads().values().stream().mapToInt(Integer::intValue).min().orElse(0);
        return before.values().stream()
                .mapToInt(load -> Math.max(0, load - low))
                .sum();
    }

    private Map<String, Integer> loads() {
        Map<String, Integer> loads = new HashMap<>();
        members.forEach(member ->
                loads.put(member.worker().value(), load(member.worker().value())));
        return loads;
    }

    private int load(String worker) {
        return (int) partitions.stream()
                .filter(partition -> !partition.isFinished())
                .filter(partition -> partition.owner().equals(Optional.of(new WorkerId(worker))))
                .count();
    }

    private void become(PartitionMetadata partition, @Nullable WorkerId owner) {
        int index = partitions.indexOf(partition);
        partitions.set(
                index,
                partition(
                        partition.token().value(),
                        PartitionState.RUNNING,
                        owner == null ? null : owner.value(),
                        List.of("Parent0")));
    }

    private FairShare share(String worker, String... leaving) {
        return FairShare.of(
                Lineage.of(partitions, NOW),
                members,
                new WorkerId(worker),
                Arrays.stream(leaving).map(PartitionToken::new).collect(Collectors.toUnmodifiableSet()));
    }

    private void member(String worker, int capacity) {
        members.add(new WorkerRegistration(
                new WorkerId(worker),
                capacity,
                false,
                START.plusSeconds(members.size()),
                NOW.plusSeconds(10),
                Optional.empty(),
                true));
    }

    private void free(String... tokens) {
        for (String token : tokens) {
            partitions.add(partition(token, PartitionState.CREATED, null, List.of("Parent0")));
        }
    }

    private void child(String token, String parent) {
        partitions.add(partition(token, PartitionState.CREATED, null, List.of(parent)));
    }

    private void held(String owner, String... tokens) {
        for (String token : tokens) {
            partitions.add(partition(token, PartitionState.RUNNING, owner, List.of("Parent0")));
        }
    }

    private void finished(String owner, String token) {
        partitions.add(partition(token, PartitionState.FINISHED, owner, List.of("Parent0")));
    }

    private static PartitionMetadata partition(
            String token, PartitionState state, @Nullable String owner, List<String> parents) {
        boolean finished = state == PartitionState.FINISHED;
        return new PartitionMetadata(
                new PartitionToken(token),
                parents.stream().map(PartitionToken::new).toList(),
                START,
                state,
                START,
                owner == null ? 0 : 1,
                Optional.ofNullable(owner).map(WorkerId::new),
                owner == null || finished ? Optional.empty() : Optional.of(NOW.plusSeconds(5)),
                owner != null && !finished,
                finished ? Optional.of(PartitionEnd.boundedEnd(START)) : Optional.empty(),
                START,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    private static List<String> tokens(List<PartitionMetadata> partitions) {
        return partitions.stream().map(partition -> partition.token().value()).toList();
    }
}

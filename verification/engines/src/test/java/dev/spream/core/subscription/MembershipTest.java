package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MembershipTest {
    private static final WorkerId ANN = new WorkerId("ann");
    private static final WorkerId BOB = new WorkerId("bob");

    private final DrivenTime time = new DrivenTime(START);
    private final InMemoryPartitionStorage memory = new InMemoryPartitionStorage(time);
    private final SubscriberOptions options =
            SubscriberOptions.builder().worker(ANN).build();
    private final Membership membership = new Membership(context(), false);
    private Optional<String> mark = Optional.empty();

    @Test
    void a_worker_is_a_member_before_it_has_registered() {
        assertThat(members()).containsExactly(ANN);
    }

    @Test
    void others_are_members_as_long_as_they_are_alive() {
        memory.registerWorker(BOB, 5, Duration.ofSeconds(10));
        assertThat(members()).containsExactlyInAnyOrder(ANN, BOB);
        assertThat(members()).as("unchanged").containsExactlyInAnyOrder(ANN, BOB);
        time.advance(Duration.ofSeconds(11));
        assertThat(members()).containsExactly(ANN);
    }

    @Test
    void a_worker_that_leaves_is_registered_no_more() {
        membership.register();
        assertThat(memory.workers()).extracting(WorkerRegistration::worker).containsExactly(ANN);
        membership.leave();
        membership.register();
        assertThat(memory.workers()).isEmpty();
    }

    @Test
    void a_correction_is_found_by_a_worker_whose_registration_had_ended() {
        SubscriptionRecord opened = memory.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        membership.opened(opened);
        membership.register();
        assertThat(membership.isRegistered()).isTrue();
        time.advance(options.leaseTime().plusMillis(1));
        assertThat(membership.isRegistered()).isFalse();
        assertThat(memory.correct(
                        new Correction.MoveEnd(Optional.of(START.plusSeconds(9))),
                        new CorrectionAct("bob", "an earlier end")))
                .isInstanceOf(CorrectionOutcome.Planned.class);

        assertThatThrownBy(membership::register)
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("was corrected", START.plusSeconds(9).toString());
        assertThat(membership.isRegistered()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_snapshot_that_a_correction_added_or_left_out_is_found_by_a_worker_whose_registration_had_ended(
            boolean began) {
        SubscriptionRecord opened = memory.openSubscription(new SubscriptionRecord(
                "Orders",
                START,
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false,
                began ? Optional.of(PartitionToken.SNAPSHOT) : Optional.empty()));
        membership.opened(opened);
        membership.register();
        time.advance(options.leaseTime().plusMillis(1));
        assertThat(memory.correct(
                        new Correction.BeginAnew(Optional.of(START), Optional.of(!began)),
                        new CorrectionAct("bob", "with or without the rows")))
                .isInstanceOf(CorrectionOutcome.Planned.class);

        assertThatThrownBy(membership::register)
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining(began ? "without rows of a snapshot" : "with the rows of a snapshot");
        assertThat(membership.isRegistered()).isFalse();
    }

    @Test
    void rows_that_were_added_meanwhile_are_found_by_a_worker_that_delivers_in_commit_order() {
        SubscriptionRecord opened = memory.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        Membership ordered = new Membership(
                context(options.toBuilder()
                        .transactionMode(TransactionMode.COMMIT_ORDER)
                        .build()),
                true);
        ordered.opened(opened);
        ordered.register();
        time.advance(options.leaseTime().plusMillis(1));
        assertThat(memory.correct(
                        new Correction.AddSnapshot(
                                START.plusSeconds(9),
                                Map.of("Orders", new PartitionToken("snapshot:added:orders")),
                                false),
                        new CorrectionAct("bob", "a new table")))
                .isInstanceOf(CorrectionOutcome.Planned.class);

        assertThatThrownBy(ordered::register)
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("no commit order");
        assertThat(ordered.isRegistered()).isFalse();
    }

    private List<WorkerId> members() {
        FrontierChanges look = memory.frontierSince(mark, Set.of());
        mark = look.mark();
        membership.note(look.workers(), look.partitions().readAt());
        return membership.members().stream().map(WorkerRegistration::worker).toList();
    }

    private EngineContext context() {
        return context(options);
    }

    private EngineContext context(SubscriberOptions used) {
        return EngineContext.of(new ScriptedSource(), memory, used, time, new Random(1), true);
    }
}

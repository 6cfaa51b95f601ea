package dev.spream.lock.inspection;

import static dev.spream.lock.LockMode.EXCLUSIVE;
import static dev.spream.lock.LockMode.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockReport.BucketWaits;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.LockExplanation.Blocker;
import dev.spream.lock.inspection.LockExplanation.HotBucket;
import dev.spream.lock.inspection.LockExplanation.Owner;
import dev.spream.lock.inspection.LockExplanation.Wait;
import dev.spream.lock.inspection.LockObservation.Reported;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Sessions are called by letters; what they hold is planned as a store would. */
final class LockExplanationTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final BucketSpace WIDE = new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, 3);
    private static final BucketSpace ONE_BUCKET = new BucketSpace(BucketHash.SHA256, 1, 3);
    private static final LockTarget U1 = LockTarget.user("u1");
    private static final LockTarget U2 = LockTarget.user("u2");
    private static final LockTarget A1 = LockTarget.account("u1", "a1");
    private static final LockTarget R1 = LockTarget.resource("u1", "a1", "r1");

    private final List<LockSession> sessions = new ArrayList<>();
    private final List<Reported> reports = new ArrayList<>();
    private final List<BucketWaits> waits = new ArrayList<>();

    @Test
    void one_target_wanted_by_two_is_a_conflict() {
        holds("a", Map.of(A1, EXCLUSIVE), WIDE);
        waitsFor("b", Map.of(A1, SHARED), WIDE.keyOf(A1), "a");

        assertThat(onlyWait(WIDE).verdict()).isEqualTo(LockConflict.CONFLICT);
        assertThat(onlyWait(WIDE).blockers())
                .containsExactly(new Blocker("a", LockConflict.CONFLICT, Map.of(A1, SHARED), Map.of(A1, EXCLUSIVE)));
    }

    @Test
    void a_target_below_an_exclusive_one_conflicts_at_the_ancestor() {
        holds("a", Map.of(U1, EXCLUSIVE), WIDE);
        waitsFor("b", Map.of(R1, EXCLUSIVE), WIDE.keyOf(U1), "a");

        assertThat(onlyWait(WIDE).blockers())
                .containsExactly(new Blocker("a", LockConflict.CONFLICT, Map.of(U1, SHARED), Map.of(U1, EXCLUSIVE)));
    }

    @Test
    void a_target_above_an_exclusive_one_conflicts_at_itself() {
        holds("a", Map.of(R1, EXCLUSIVE), WIDE);
        waitsFor("b", Map.of(U1, EXCLUSIVE), WIDE.keyOf(U1), "a");

        assertThat(onlyWait(WIDE).blockers())
                .containsExactly(new Blocker("a", LockConflict.CONFLICT, Map.of(U1, EXCLUSIVE), Map.of(U1, SHARED)));
    }

    @Test
    void other_ids_in_one_bucket_are_false_contention() {
        holds("a", Map.of(U1, EXCLUSIVE), ONE_BUCKET);
        waitsFor("b", Map.of(U2, EXCLUSIVE), ONE_BUCKET.keyOf(U2), "a");

        assertThat(onlyWait(ONE_BUCKET).verdict()).isEqualTo(LockConflict.FALSE_CONTENTION);
        assertThat(onlyWait(ONE_BUCKET).blockers())
                .containsExactly(
                        new Blocker("a", LockConflict.FALSE_CONTENTION, Map.of(U2, EXCLUSIVE), Map.of(U1, EXCLUSIVE)));
    }

    @Test
    void a_target_that_both_share_does_not_make_a_conflict_of_a_collision() {
        holds("a", Map.of(U1, SHARED, U2, EXCLUSIVE), ONE_BUCKET);
        waitsFor("b", Map.of(U1, SHARED), ONE_BUCKET.keyOf(U1), "a");

        assertThat(onlyWait(ONE_BUCKET).blockers())
                .containsExactly(
                        new Blocker("a", LockConflict.FALSE_CONTENTION, Map.of(U1, SHARED), Map.of(U2, EXCLUSIVE)));
    }

    @Test
    void a_conflict_at_another_key_does_not_explain_the_wait_for_this_one() {
        holds("a", Map.of(A1, EXCLUSIVE), WIDE);
        waitsFor("b", Map.of(A1, EXCLUSIVE), WIDE.keyOf(U2), "a");

        assertThat(onlyWait(WIDE).verdict()).isEqualTo(LockConflict.UNKNOWN);
    }

    @Test
    void a_wait_without_a_key_is_judged_by_all_that_both_lock() {
        holds("a", Map.of(U1, EXCLUSIVE), ONE_BUCKET);
        reports.add(report("b", Map.of(), Map.of(U2, EXCLUSIVE)));
        sessions.add(session("b", List.of(), Optional.empty(), false, "a"));

        assertThat(onlyWait(ONE_BUCKET).verdict()).isEqualTo(LockConflict.FALSE_CONTENTION);
    }

    @Test
    void a_wait_for_a_session_without_a_report_has_an_unknown_verdict() {
        sessions.add(session("a", locks(Map.of(A1, EXCLUSIVE), WIDE), Optional.empty(), false));
        waitsFor("b", Map.of(A1, EXCLUSIVE), WIDE.keyOf(A1), "a");

        assertThat(onlyWait(WIDE).verdict()).isEqualTo(LockConflict.UNKNOWN);
        assertThat(explain(WIDE).owner("a").map(Owner::unnamed).orElseThrow())
                .containsExactlyElementsOf(locks(Map.of(A1, EXCLUSIVE), WIDE));
    }

    @Test
    void reported_locks_have_names() {
        holds("a", Map.of(R1, EXCLUSIVE), WIDE);

        assertThat(explain(WIDE).owners()).singleElement().satisfies(owner -> {
            assertThat(owner.session().held()).hasSize(3);
            assertThat(owner.unnamed()).isEmpty();
            assertThat(owner.held()).isEqualTo(Map.of(R1, EXCLUSIVE));
        });
    }

    @Test
    void a_wait_in_a_queue_is_judged_against_what_the_one_ahead_wants() {
        holds("a", Map.of(A1, SHARED), WIDE);
        waitsFor("b", Map.of(A1, EXCLUSIVE), WIDE.keyOf(A1), "a");
        waitsFor("c", Map.of(A1, SHARED), WIDE.keyOf(A1), "b");

        assertThat(explain(WIDE).waits()).extracting(Wait::verdict).containsOnly(LockConflict.CONFLICT);
        assertThat(explain(WIDE).chains()).containsExactly(chain("a", chain("b", chain("c"))));
    }

    @Test
    void a_wait_with_one_conflicting_blocker_is_a_conflict() {
        holds("a", Map.of(U1, SHARED), ONE_BUCKET);
        holds("b", Map.of(U2, SHARED), ONE_BUCKET);
        waitsFor("c", Map.of(U2, EXCLUSIVE), ONE_BUCKET.keyOf(U2), "a", "b");

        assertThat(onlyWait(ONE_BUCKET).verdict()).isEqualTo(LockConflict.CONFLICT);
        assertThat(onlyWait(ONE_BUCKET).blockers())
                .extracting(Blocker::verdict)
                .containsExactly(LockConflict.FALSE_CONTENTION, LockConflict.CONFLICT);
    }

    @Test
    void the_head_of_a_chain_may_hold_nothing_that_is_locked_here() {
        sessions.add(session("a", locks(Map.of(A1, EXCLUSIVE), WIDE), Optional.empty(), true, "z"));
        waitsFor("b", Map.of(A1, EXCLUSIVE), WIDE.keyOf(A1), "a");
        sessions.add(session("z", List.of(), Optional.empty(), false));

        assertThat(explain(WIDE).chains()).containsExactly(chain("z", chain("a", chain("b"))));
        assertThat(explain(WIDE).waits())
                .filteredOn(wait -> wait.waiter().session().id().equals("a"))
                .extracting(Wait::verdict)
                .containsExactly(LockConflict.ELSEWHERE);
    }

    @Test
    void each_session_is_in_the_chains_once_behind_its_last_blocker() {
        sessions.add(session("a", List.of(), Optional.empty(), false));
        sessions.add(session("b", List.of(), Optional.empty(), false, "a"));
        sessions.add(session("c", List.of(), Optional.empty(), false, "a", "b"));
        sessions.add(session("d", List.of(), Optional.empty(), false));
        sessions.add(session("e", List.of(), Optional.empty(), false, "gone"));

        assertThat(explain(WIDE).chains())
                .containsExactly(chain("a", chain("b", chain("c"))), chain("gone", chain("e")));
        assertThat(explain(WIDE).circle()).isEmpty();
    }

    @Test
    void a_circle_is_named_and_does_not_confuse_the_rest() {
        sessions.add(session("a", List.of(), Optional.empty(), false, "b"));
        sessions.add(session("b", List.of(), Optional.empty(), false, "a"));
        sessions.add(session("c", List.of(), Optional.empty(), false, "b"));
        sessions.add(session("x", List.of(), Optional.empty(), false, "y"));

        assertThat(explain(WIDE).circle()).containsExactly("a", "b", "c");
        assertThat(explain(WIDE).chains()).containsExactly(chain("y", chain("x")));
    }

    @Test
    void hot_buckets_come_with_the_names_that_are_known_of_them() {
        holds("a", Map.of(U1, EXCLUSIVE), ONE_BUCKET);
        waitsFor("b", Map.of(U2, EXCLUSIVE), ONE_BUCKET.keyOf(U2), "a");
        BucketWaits some = new BucketWaits(new LockKey(1, 0), 90, Duration.ofSeconds(1));
        BucketWaits most = new BucketWaits(new LockKey(0, 0), 2, Duration.ofSeconds(40));
        waits.addAll(List.of(some, most));

        assertThat(explain(ONE_BUCKET).hot())
                .containsExactly(new HotBucket(most, List.of(U1, U2)), new HotBucket(some, List.of()));
    }

    @Test
    void ages_are_those_of_the_database_and_of_the_report_where_it_shows_none() {
        sessions.add(new LockSession(
                "a",
                client(),
                List.of(),
                Optional.empty(),
                false,
                Set.of("b"),
                Optional.of(NOW.minusSeconds(9)),
                Optional.of(NOW.minusSeconds(4))));
        reports.add(report("b", Map.of(A1, EXCLUSIVE), Map.of()));
        sessions.add(session("b", List.of(), Optional.empty(), false));

        assertThat(explain(WIDE).owners())
                .extracting(owner -> owner.heldFor().orElseThrow())
                .containsExactly(Duration.ofMinutes(1), Duration.ofSeconds(9));
        assertThat(onlyWait(WIDE).waitingFor()).contains(Duration.ofSeconds(4));
    }

    @Test
    void a_report_of_a_session_that_the_database_does_not_show_is_over() {
        reports.add(report("a", Map.of(A1, EXCLUSIVE), Map.of()));

        assertThat(explain(WIDE).owners()).isEmpty();
    }

    private LockExplanation explain(BucketSpace space) {
        return LockExplanation.of(new LockObservation(NOW, space, true, sessions, reports, waits, "KILL ?", List.of()));
    }

    private Wait onlyWait(BucketSpace space) {
        assertThat(explain(space).waits()).hasSize(1);
        return explain(space).waits().getFirst();
    }

    private void holds(String id, Map<LockTarget, LockMode> targets, BucketSpace space) {
        sessions.add(session(id, locks(targets, space), Optional.empty(), false));
        reports.add(report(id, targets, Map.of()));
    }

    private void waitsFor(String id, Map<LockTarget, LockMode> targets, LockKey key, String... blockers) {
        sessions.add(session(id, List.of(), Optional.of(new PlannedLock(key, EXCLUSIVE)), false, blockers));
        reports.add(report(id, Map.of(), targets));
    }

    private static BlockingChain chain(String session, BlockingChain... behind) {
        return new BlockingChain(session, List.of(behind));
    }

    private static List<PlannedLock> locks(Map<LockTarget, LockMode> targets, BucketSpace space) {
        return LockPlan.of(new LockRequest(targets), space).locks();
    }

    private static LockSession session(
            String id, List<PlannedLock> held, Optional<PlannedLock> wanted, boolean elsewhere, String... blockers) {
        return new LockSession(
                id, client(), held, wanted, elsewhere, Set.of(blockers), Optional.empty(), Optional.empty());
    }

    private static LockSession.Client client() {
        return new LockSession.Client("app", "127.0.0.1", "orders", "active", Optional.empty());
    }

    private static Reported report(String id, Map<LockTarget, LockMode> held, Map<LockTarget, LockMode> wanted) {
        return new Reported(
                "orders/1", new LockReport.Owner(id, "", held, wanted, Duration.ofMinutes(1), Duration.ofSeconds(30)));
    }
}

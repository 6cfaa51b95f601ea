package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockReport.BucketWaits;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.inspection.BlockingChain;
import dev.spream.lock.inspection.LockConflict;
import dev.spream.lock.inspection.LockExplanation;
import dev.spream.lock.inspection.LockExplanation.Blocker;
import dev.spream.lock.inspection.LockExplanation.HotBucket;
import dev.spream.lock.inspection.LockExplanation.Owner;
import dev.spream.lock.inspection.LockExplanation.Wait;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the view of held and requested locks, on any database. */
@Timeout(60)
abstract class ShownLocksContract {
    /** So few that many targets share one. */
    static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 2, 3);

    private static final long TIMEOUT_NANOS = 20_000_000_000L;

    private static final LockTarget ACCOUNT = LockTarget.account("u1", "a1");
    private static final LockTarget USER = LockTarget.user("u1");
    private static final LockTarget STRANGER = user(ShownLocksContract::sharesTheBucketOfUser);
    private static final LockTarget BYSTANDER = user(candidate -> !sharesTheBucketOfUser(candidate));

    private final Deque<LockingProcess> processes = new ArrayDeque<>();
    private JdbcLockStore store;
    private JdbcLockStore other;
    private LockExplanation seen;

    /** Returns the data source of stores and processes. */
    abstract DataSource dataSource();

    /** Opens a store of {@link #SPACE}, with its buckets provisioned. */
    abstract JdbcLockStore open() throws Exception;

    /** Returns whether the database shows locks that no session waits for. */
    abstract boolean isComplete();

    /** Runs a statement on the tables of the locks, which it calls by their names. */
    abstract void execute(String sql) throws Exception;

    @BeforeEach
    void openStores() throws Exception {
        store = open();
        other = open();
        execute("DELETE FROM hier_lock_wait");
        execute("DELETE FROM hier_lock_owner");
        execute("CREATE TABLE IF NOT EXISTS work (id INT PRIMARY KEY, done INT)");
        execute("DELETE FROM work");
        execute("INSERT INTO work VALUES (1, 0)");
        seen = LockExplanation.of(observer().observe());
    }

    @AfterEach
    void close() throws Exception {
        while (!processes.isEmpty()) {
            processes.pop().close(); // in reverse order: waiters before holders
        }
        other.close();
        store.close();
    }

    @Test
    void waiters_are_shown_by_name_from_the_head_of_their_chain() throws Exception {
        LockRequest request = LockRequest.exclusive(ACCOUNT);
        LockingProcess holder = process("p1", store).holds(request).reports();
        LockingProcess second = process("p2", other).waitsFor(request).reports();
        await(shown -> isWaiting(shown, second));
        LockingProcess third = process("p3", store).waitsFor(request).reports();
        await(shown -> isWaiting(shown, second) && isWaiting(shown, third));

        assertThat(seen.seen().complete()).isEqualTo(isComplete());
        assertThat(seen.seen().notes()).isEmpty();
        assertThat(seen.chains())
                .containsExactly(new BlockingChain(
                        holder.session(),
                        List.of(new BlockingChain(
                                second.session(), List.of(new BlockingChain(third.session(), List.of()))))));
        assertThat(seen.circle()).isEmpty();
        assertThat(seen.waits())
                .extracting(Wait::verdict)
                .containsExactly(LockConflict.CONFLICT, LockConflict.CONFLICT);
        assertThat(wait(second).blockers())
                .containsExactly(new Blocker(
                        holder.session(),
                        LockConflict.CONFLICT,
                        Map.of(ACCOUNT, LockMode.EXCLUSIVE),
                        Map.of(ACCOUNT, LockMode.EXCLUSIVE)));
        assertThat(wait(third).blockers()).extracting(Blocker::session).contains(second.session());
        assertThat(seen.owner(holder.session()).orElseThrow()).satisfies(owner -> {
            assertThat(owner.held()).isEqualTo(request.targets());
            assertThat(owner.reported().orElseThrow().process()).isEqualTo("p1");
            assertThat(owner.reported().orElseThrow().owner().label()).isEqualTo("testing");
            assertThat(owner.reported().orElseThrow().owner().heldFor())
                    .isBetween(Duration.ofMinutes(7), Duration.ofMinutes(8));
            assertThat(owner.heldFor().orElseThrow()).isLessThan(Duration.ofMinutes(1));
            assertThat(owner.session().client().state()).isEqualTo("idle in transaction");
            assertThat(owner.session().client().user()).isNotEmpty();
            assertThat(owner.unnamed()).isEmpty();
        });
        assertThat(wait(second).waiter().session().wanted())
                .map(lock -> lock.key())
                .contains(SPACE.keyOf(ACCOUNT));
    }

    @Test
    void a_wait_of_other_ids_in_the_same_bucket_is_false_contention() throws Exception {
        LockingProcess holder =
                process("p1", store).holds(LockRequest.exclusive(USER)).reports();
        LockingProcess waiter =
                process("p2", other).waitsFor(LockRequest.exclusive(STRANGER)).reports();
        await(shown -> isWaiting(shown, waiter));

        assertThat(wait(waiter).verdict()).isEqualTo(LockConflict.FALSE_CONTENTION);
        assertThat(wait(waiter).blockers())
                .containsExactly(new Blocker(
                        holder.session(),
                        LockConflict.FALSE_CONTENTION,
                        Map.of(STRANGER, LockMode.EXCLUSIVE),
                        Map.of(USER, LockMode.EXCLUSIVE)));
    }

    @Test
    void holders_of_a_shared_lock_are_distinguished_from_waiters_for_another_one() throws Exception {
        LockRequest shared = LockRequest.shared(USER);
        LockingProcess bystander =
                process("p0", store).holds(LockRequest.shared(BYSTANDER)).reports();
        LockingProcess holder =
                process("p1", store).holds(LockRequest.exclusive(USER)).reports();
        LockingProcess second = process("p2", other).waitsFor(shared).reports();
        LockingProcess third = process("p3", store).waitsFor(shared).reports();
        await(shown -> isWaiting(shown, second) && isWaiting(shown, third));

        assertThat(seen.waits())
                .extracting(wait -> wait.waiter().session().id())
                .containsExactlyInAnyOrder(second.session(), third.session());
        assertThat(seen.waits())
                .allSatisfy(wait ->
                        assertThat(wait.blockers()).extracting(Blocker::session).containsExactly(holder.session()));
        assertThat(seen.owner(bystander.session()).orElseThrow().unnamed()).isEmpty();
    }

    @Test
    void a_waiter_for_a_shared_holder_is_behind_that_holder_only() throws Exception {
        process("p0", store).holds(LockRequest.shared(BYSTANDER)).reports();
        LockingProcess holder =
                process("p1", store).holds(LockRequest.shared(USER)).reports();
        LockingProcess waiter =
                process("p2", other).waitsFor(LockRequest.exclusive(USER)).reports();
        await(shown -> isWaiting(shown, waiter));

        assertThat(seen.waits()).hasSize(1);
        assertThat(wait(waiter).blockers()).extracting(Blocker::session).containsExactly(holder.session());
        assertThat(wait(waiter).verdict()).isEqualTo(LockConflict.CONFLICT);
    }

    @Test
    void a_session_without_a_report_is_shown_without_names() throws Exception {
        LockRequest request = LockRequest.exclusive(USER);
        LockingProcess holder = process("p1", store).holds(request);
        LockingProcess waiter = process("p2", other).waitsFor(request);
        await(shown -> isWaiting(shown, waiter));

        Owner owner = seen.owner(holder.session()).orElseThrow();
        assertThat(owner.reported()).isEmpty();
        assertThat(owner.session().held())
                .isEqualTo(showsKeys() ? LockPlan.of(request, SPACE).locks() : List.of());
        assertThat(owner.unnamed()).isEqualTo(owner.session().held());
        assertThat(wait(waiter).verdict()).isEqualTo(LockConflict.UNKNOWN);
    }

    @Test
    void the_head_of_a_chain_may_be_a_session_that_locks_rows_of_the_application() throws Exception {
        String update = "UPDATE %s SET done = done + 1".formatted(work());
        LockRequest request = LockRequest.exclusive(USER);
        LockingProcess worker = process("p0", store).ran("SELECT 1").ran(update);
        LockingProcess holder = process("p1", store).holds(request).reports().runs(update);
        LockingProcess waiter = process("p2", other).waitsFor(request).reports();
        await(shown -> isWaiting(shown, waiter)
                && shown.waits().stream().anyMatch(wait -> wait.verdict() == LockConflict.ELSEWHERE));

        assertThat(seen.chains()).singleElement().satisfies(head -> {
            assertThat(seen.owner(head.session())).map(Owner::held).contains(Map.of());
            assertThat(head.behind())
                    .containsExactly(new BlockingChain(
                            holder.session(), List.of(new BlockingChain(waiter.session(), List.of()))));
        });
        assertThat(wait(holder).verdict()).isEqualTo(LockConflict.ELSEWHERE);
        assertThat(wait(waiter).verdict()).isEqualTo(LockConflict.CONFLICT);
        assertThat(worker.session()).isEmpty();
    }

    @Test
    void waits_of_all_processes_are_added_up_and_the_hottest_come_first() throws Exception {
        BucketWaits few = new BucketWaits(new LockKey(1, 0), 7, Duration.ofMillis(2));
        BucketWaits many = new BucketWaits(SPACE.keyOf(USER), 2, Duration.ofSeconds(90));
        process("p1", store).holds(LockRequest.exclusive(USER)).reports(List.of(many, few));
        process("p2", other).reports(List.of(many));
        look();

        assertThat(seen.hot())
                .containsExactly(
                        new HotBucket(new BucketWaits(SPACE.keyOf(USER), 4, Duration.ofMinutes(3)), List.of(USER)),
                        new HotBucket(few, List.of()));
    }

    @Test
    void a_report_takes_the_place_of_the_one_before_and_is_forgotten_after_a_while() throws Exception {
        LockingProcess first =
                process("p1", store).holds(LockRequest.shared(USER)).reports();
        process("p1", store).holds(LockRequest.shared(ACCOUNT)).reports();
        process("p2", other).holds(LockRequest.shared(USER)).reports();
        look();
        assertThat(seen.seen().reports())
                .extracting(report -> report.owner().held())
                .containsExactlyInAnyOrder(Map.of(ACCOUNT, LockMode.SHARED), Map.of(USER, LockMode.SHARED));
        assertThat(seen.owner(first.session()).flatMap(Owner::reported)).isEmpty();

        execute("UPDATE hier_lock_owner SET expires_at = held_since");
        look();
        assertThat(seen.seen().reports()).isEmpty();
    }

    /** Returns whether the key of a contended lock is shown in its holder. */
    boolean showsKeys() {
        return true;
    }

    /** The table of the work, as a statement of any session calls it. */
    abstract String work();

    private LockingProcess process(String name, JdbcLockStore of) throws Exception {
        LockingProcess process = LockingProcess.open(name, of, dataSource());
        processes.push(process);
        return process;
    }

    private void look() {
        seen = LockExplanation.of(observer().observe());
    }

    abstract JdbcLockObserver observer();

    private void await(Predicate<LockExplanation> condition) {
        long end = System.nanoTime() + TIMEOUT_NANOS;
        do {
            if (System.nanoTime() > end) {
                throw new AssertionError("not shown in time, but: " + seen);
            }
            LockSupport.parkNanos(pause().toNanos());
            look();
        } while (!condition.test(seen));
    }

    /** For how long the server may show what was before. */
    Duration pause() {
        return Duration.ofMillis(10);
    }

    /** It waits as the database says, and for what. */
    private static boolean isWaiting(LockExplanation shown, LockingProcess process) {
        return shown.waits().stream()
                .anyMatch(wait -> wait.waiter().session().id().equals(process.session())
                        && !wait.blockers().isEmpty()
                        && wait.waiter().session().wanted().isPresent());
    }

    private Wait wait(LockingProcess process) {
        return seen.waits().stream()
                .filter(wait -> wait.waiter().session().id().equals(process.session()))
                .findFirst()
                .orElseThrow();
    }

    private static boolean sharesTheBucketOfUser(LockTarget other) {
        return SPACE.keyOf(other).equals(SPACE.keyOf(USER));
    }

    private static LockTarget user(Predicate<LockTarget> wanted) {
        return IntStream.range(2, 1_000)
                .mapToObj(i -> LockTarget.user("u" + i))
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }
}

package dev.spream.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.panel.LocksJson;
import dev.spream.core.record.JsonObject;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.PlannedLock;
import dev.spream.lock.inspection.LockExplanation;
import dev.spream.lock.inspection.LockObservation;
import dev.spream.lock.inspection.LockObservation.Reported;
import dev.spream.lock.inspection.LockSession;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The list of locks, as an operator sees it. */
final class LockPrinterTest {
    private static final Instant NOW = Instant.parse("2026-01-01T03:00:00Z");
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 1, 3);
    private static final LockTarget ACCOUNT = LockTarget.account("u1", "a1");
    private static final LockTarget USER = LockTarget.user("u2");

    private final List<LockSession> sessions = new ArrayList<>();
    private final List<Reported> reports = new ArrayList<>();

    @Test
    void a_queue_is_shown_behind_its_head_with_reasons_and_what_ends_it() {
        holds("11", Map.of(ACCOUNT, LockMode.EXCLUSIVE), Duration.ofMinutes(7));
        waits("12", Map.of(ACCOUNT, LockMode.EXCLUSIVE), 1, Duration.ofSeconds(125), "11");
        waits("13", Map.of(USER, LockMode.EXCLUSIVE), 0, Duration.ofSeconds(4), "12");
        holds("14", Map.of(), Duration.ofSeconds(2));

        assertThat(LockPrinter.of(explain(), false, 1))
                .containsExactly(
                        "11 blocks 2",
                        "  holds u1/a1, open for 7m 0s",
                        "  orders/1, transfer; orders app 10.0.0.3, idle in transaction for 1m 0s",
                        "  12 waits 2m 5s for u1/a1, at bucket 1:0",
                        "    conflict: 11 has u1/a1",
                        "    orders/1, transfer; orders app 10.0.0.3, idle in transaction for 1m 0s",
                        "    13 waits 4.0s for u2, at bucket 0:0",
                        "      false contention: 12 has u1 (shared), which shares the bucket of u2 and nothing else",
                        "      orders/1, transfer; orders app 10.0.0.3, idle in transaction for 1m 0s",
                        "  to end it, roll back its work and release its locks: SELECT pg_terminate_backend(11)",
                        "",
                        "14 blocks no other session",
                        "  orders app 10.0.0.3, idle in transaction for 1m 0s",
                        "",
                        "most contended in the last 24 hours",
                        "  BUCKET  WAITS  WAITED  LOCKED NOW",
                        "  0:0     12     1m 30s  u1, u2");
        assertThat(LockPrinter.summary(explain())).isEqualTo("1 session holds locks, 2 wait, 1 of them unnecessarily");
    }

    @Test
    void only_what_blocks_is_shown_if_nothing_else_is_wanted() {
        holds("14", Map.of(ACCOUNT, LockMode.SHARED), Duration.ofSeconds(2));

        assertThat(LockPrinter.of(explain(), true, 0)).isEmpty();
        assertThat(LockPrinter.of(explain(), false, 0))
                .startsWith("14 blocks no other session", "  holds u1/a1 (shared), open for 2.0s");
        assertThat(LockPrinter.summary(explain())).isEqualTo("1 session holds locks, no waiters");
        assertThat(JsonObject.of(LocksJson.write(explain(), true, 0)).objects("sessions"))
                .isEmpty();
    }

    @Test
    void a_lock_without_a_name_is_shown_by_its_key() {
        sessions.add(session("11", keys(ACCOUNT), Optional.empty(), Duration.ofSeconds(1)));
        sessions.add(session(
                "12",
                List.of(),
                Optional.of(new PlannedLock(SPACE.keyOf(ACCOUNT), LockMode.EXCLUSIVE)),
                Duration.ofSeconds(1),
                "11"));

        assertThat(LockPrinter.of(explain(), true, 0))
                .contains(
                        "  holds bucket 0:0 (shared), bucket 1:0 (name not reported), open for 1.0s",
                        "  12 waits 1.0s for bucket 1:0",
                        "    unknown reason: 11 or the waiter has not reported its locks");
    }

    @Test
    void ids_are_shown_to_their_end_and_cannot_write_on_the_terminal() {
        String id = "u".repeat(300) + "\033[2J\nu1";
        holds("11", Map.of(LockTarget.user(id), LockMode.EXCLUSIVE), Duration.ofSeconds(2));

        assertThat(LockPrinter.of(explain(), false, 1))
                .contains("  holds %s\\u001b[2J\\u000au1, open for 2.0s".formatted("u".repeat(300)));
    }

    @Test
    void many_that_wait_for_one_lock_stand_in_one_line_of_which_the_first_are_shown() {
        holds("100", Map.of(ACCOUNT, LockMode.EXCLUSIVE), Duration.ofMinutes(7));
        String[] ahead = {"100"};
        for (int id = 101; id <= 160; id++) {
            waits(Integer.toString(id), Map.of(ACCOUNT, LockMode.EXCLUSIVE), 1, Duration.ofSeconds(4), ahead);
            ahead = Arrays.copyOf(ahead, ahead.length + 1);
            ahead[ahead.length - 1] = Integer.toString(id);
        }

        assertThat(LockPrinter.of(explain(), true, 0))
                .hasSizeLessThan(70)
                .contains(
                        "  120 waits 4.0s for u1/a1, at bucket 1:0",
                        "    conflict: 119 has u1/a1, and 19 more ahead of it",
                        "  … 40 more")
                .noneMatch(line -> line.contains("121"));
    }

    @Test
    void a_waiter_is_shown_with_the_ancestors_it_holds() {
        holds("11", Map.of(ACCOUNT, LockMode.EXCLUSIVE), Duration.ofMinutes(7));
        sessions.add(session(
                "12",
                List.of(new PlannedLock(SPACE.keyOf(LockTarget.user("u1")), LockMode.SHARED)),
                Optional.of(new PlannedLock(SPACE.keyOf(ACCOUNT), LockMode.EXCLUSIVE)),
                Duration.ofSeconds(6),
                "11"));
        reports.add(report("12", Map.of(), Map.of(ACCOUNT, LockMode.EXCLUSIVE)));

        assertThat(LockPrinter.of(explain(), true, 0)).contains("    holds u1 (shared), open for 6.0s");
    }

    @Test
    void calls_that_are_queued_in_their_processes_are_counted_by_what_they_want() {
        holds("11", Map.of(ACCOUNT, LockMode.EXCLUSIVE), Duration.ofMinutes(7));
        waits("12", Map.of(ACCOUNT, LockMode.EXCLUSIVE), 1, Duration.ofSeconds(125), "11");
        queued("queued 7", ACCOUNT, Duration.ofSeconds(3));
        queued("queued 6", ACCOUNT, Duration.ofSeconds(4));
        queued("queued 5", USER, Duration.ofSeconds(9));

        assertThat(LockPrinter.of(explain(), true, 0))
                .containsSequence(
                        "queued in their processes without a connection or locks: 3",
                        "  1 of orders/1, transfer for u2, the first 9.0s",
                        "  2 of orders/1, transfer for u1/a1, the first 4.0s");
        assertThat(LockPrinter.summary(explain()))
                .isEqualTo("1 session holds locks, 1 waits, 3 queued in their processes");
        assertThat(JsonObject.of(LocksJson.write(explain(), true, 0)).objects("queued"))
                .hasSize(3)
                .first()
                .isEqualTo(
                        JsonObject.of(
                                "{\"process\":\"orders/1\",\"label\":\"transfer\",\"wanted\":[{\"path\":[\"u2\"],\"mode\":\"exclusive\"}],\"waiting_seconds\":9.0}"));
    }

    private void queued(String session, LockTarget target, Duration waiting) {
        reports.add(new Reported(
                "orders/1",
                new LockReport.Owner(
                        session, "transfer", Map.of(), Map.of(target, LockMode.EXCLUSIVE), Duration.ZERO, waiting)));
    }

    @Test
    void programs_get_all_of_it_as_one_object() {
        holds("11", Map.of(ACCOUNT, LockMode.EXCLUSIVE), Duration.ofMinutes(7));
        waits("12", Map.of(ACCOUNT, LockMode.SHARED), 1, Duration.ofSeconds(125), "11");

        JsonObject locks = JsonObject.of(LocksJson.write(explain(), false, 5));
        assertThat(locks.string("at")).contains("2026-01-01T03:00:00Z");
        JsonObject holder = locks.objects("sessions").getFirst();
        assertThat(holder.string("session")).contains("11");
        assertThat(holder.string("process")).contains("orders/1");
        assertThat(holder.objects("held"))
                .containsExactly(JsonObject.of("{\"path\":[\"u1\",\"a1\"],\"mode\":\"exclusive\"}"));
        JsonObject wait = locks.objects("waits").getFirst();
        assertThat(wait.string("verdict")).contains("conflict");
        assertThat(wait.string("waiting_seconds")).contains("125.0");
        assertThat(wait.objects("blockers"))
                .containsExactly(
                        JsonObject.of(
                                "{\"session\":\"11\",\"verdict\":\"conflict\",\"wanted\":[{\"path\":[\"u1\",\"a1\"],\"mode\":\"shared\"}],\"has\":[{\"path\":[\"u1\",\"a1\"],\"mode\":\"exclusive\"}]}"));
        assertThat(locks.objects("chains"))
                .containsExactly(JsonObject.of("{\"session\":\"11\",\"behind\":[{\"session\":\"12\",\"behind\":[]}]}"));
        assertThat(locks.objects("hot"))
                .singleElement()
                .satisfies(hot -> assertThat(hot.string("waited_seconds")).contains("90.0"));
    }

    private LockExplanation explain() {
        return LockExplanation.of(new LockObservation(
                NOW,
                SPACE,
                true,
                sessions,
                reports,
                List.of(new LockReport.BucketWaits(new LockKey(0, 0), 12, Duration.ofSeconds(90))),
                "SELECT pg_terminate_backend(?)",
                List.of()));
    }

    private void holds(String id, Map<LockTarget, LockMode> targets, Duration open) {
        List<PlannedLock> locks = targets.isEmpty()
                ? List.of()
                : LockPlan.of(new LockRequest(targets), SPACE).locks();
        sessions.add(session(id, locks, Optional.empty(), open));
        if (!targets.isEmpty()) {
            reports.add(report(id, targets, Map.of()));
        }
    }

    private void waits(String id, Map<LockTarget, LockMode> targets, int level, Duration waiting, String... blockers) {
        sessions.add(session(
                id,
                List.of(),
                Optional.of(new PlannedLock(new LockKey(level, 0), LockMode.EXCLUSIVE)),
                waiting,
                blockers));
        reports.add(report(id, Map.of(), targets));
    }

    private static List<PlannedLock> keys(LockTarget target) {
        return LockPlan.of(LockRequest.exclusive(target), SPACE).locks();
    }

    private static LockSession session(
            String id, List<PlannedLock> held, Optional<PlannedLock> wanted, Duration time, String... blockers) {
        return new LockSession(
                id,
                new LockSession.Client(
                        "app",
                        "10.0.0.3",
                        "orders",
                        "idle in transaction",
                        Optional.of(NOW.minus(Duration.ofMinutes(1)))),
                held,
                wanted,
                false,
                Set.of(blockers),
                Optional.of(NOW.minus(time)),
                Optional.of(NOW.minus(time)));
    }

    private static Reported report(String id, Map<LockTarget, LockMode> held, Map<LockTarget, LockMode> wanted) {
        return new Reported(
                "orders/1", new LockReport.Owner(id, "transfer", held, wanted, Duration.ZERO, Duration.ZERO));
    }
}

package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.event.QueueEventSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the lag of a projection while it cannot be measured: never caught up. */
final class ProjectionBlindTest {
    private static final Set<Integer> ALL = Set.of(0, 1, 2, 3);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ManagerBench bench = new ManagerBench();
    private final FaultyProjectionStore store = new FaultyProjectionStore(bench.database.store());
    private final CutSource source = new CutSource(bench.source);
    private final AtomicReference<Instant> now = new AtomicReference<>(Accounts.START.plusSeconds(3_600));

    @AfterEach
    void stop() {
        source.release();
        store.heal();
        bench.close();
    }

    private Running start(EventSource read) {
        return bench.start(
                store, builder -> builder.time(MonotonicTime.SYSTEM, now::get).add(new Balances("balances"), read));
    }

    private static ProjectionView view(Running running) {
        return running.manager().views().getFirst();
    }

    private void pass(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    private void awaitCaughtUp(Running running) {
        bench.await("no lag", () -> view(running).lagEvents().equals(OptionalLong.of(0)));
        bench.await(
                "caught up", () -> view(running).lag().filter(Duration::isZero).isPresent());
    }

    private static void assertUnknown(ProjectionView view) {
        assertThat(view.lagEvents()).isEmpty();
        assertThat(view.lag()).isEmpty();
    }

    @Test
    void a_segment_that_was_not_polled_yet_makes_the_lag_unknown() {
        source.cut.add(3);
        Running running = start(source);
        bench.await("the others read", () -> List.of(0, 1, 2).stream().allMatch(segment -> source.polls(segment) > 1));
        assertThat(view(running).segmentsHeld()).isEqualTo(4);
        assertUnknown(view(running));
        pass(LONG);
        source.cut.clear();
        awaitCaughtUp(running);
    }

    @Test
    void a_caught_up_projection_is_behind_since_the_start_of_an_outage() {
        Running running = start(source);
        awaitCaughtUp(running);
        source.cut.addAll(ALL);
        bench.await("nothing known", () -> view(running).lagEvents().isEmpty());
        pass(LONG);
        assertThat(view(running).lagEvents()).isEmpty();
        assertThat(view(running).lag()).hasValue(LONG);
        source.cut.clear();
        awaitCaughtUp(running);
    }

    @Test
    void the_lag_of_known_events_grows_while_the_store_is_unavailable() {
        store.failing.add("apply");
        Accounts.append(bench.events, "account-1", 1, 2, 3);
        Running running = start(source);
        bench.await("a lag", () -> view(running).lagEvents().orElse(0) == 3);
        bench.await("failures", () -> store.failures.get() > 3);
        Duration before = view(running).lag().orElseThrow();
        assertThat(before).isPositive();
        pass(LONG);
        assertThat(view(running).lag()).hasValue(before.plus(LONG));
        store.heal();
        awaitCaughtUp(running);
    }

    @Test
    void a_projection_that_lost_its_segments_is_not_caught_up() {
        Running running = start(source);
        awaitCaughtUp(running);
        store.failing.add("holdSegments");
        bench.await("the end of the lease", () -> view(running).segmentsHeld() == 0);
        assertThat(view(running).lagEvents()).isEmpty();
        bench.await("a lag that grows", () -> {
            pass(Duration.ofMinutes(1));
            return view(running).lag().filter(lag -> lag.compareTo(LONG) >= 0).isPresent();
        });
        store.heal();
        awaitCaughtUp(running);
    }

    @Test
    void a_loop_that_hangs_is_caught_up_for_a_moment_yet() {
        Running running = start(source);
        awaitCaughtUp(running);
        source.hang();
        bench.await("all loops hanging", () -> source.hanging.equals(ALL));
        pass(SegmentLags.Sample.LASTS);
        assertThat(view(running).lagEvents()).hasValue(0);
        assertThat(view(running).lag()).hasValue(Duration.ZERO);
        pass(Duration.ofMillis(1));
        assertThat(view(running).lagEvents()).isEmpty();
        assertThat(view(running).lag()).hasValue(SegmentLags.Sample.LASTS.plusMillis(1));
        source.release();
        awaitCaughtUp(running);
    }

    @Test
    void a_feed_without_positions_that_is_cut_off_is_behind_since_then() {
        try (QueueEventSource queue = new QueueEventSource()) {
            CutSource cut = new CutSource(queue.another());
            cut.cut.add(0);
            Running running = start(cut);
            bench.await("an outage", () -> view(running).outage().isPresent());
            assertUnknown(view(running));
            cut.cut.clear();
            awaitCaughtUp(running);
            cut.cut.add(0);
            bench.await("nothing known", () -> view(running).lagEvents().isEmpty());
            pass(LONG);
            assertThat(view(running).lag()).hasValue(LONG);
            cut.cut.clear();
            awaitCaughtUp(running);
        }
    }
}

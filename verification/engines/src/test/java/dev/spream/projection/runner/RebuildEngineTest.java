package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.projection.runner.RecordingProjectionListener.Told;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Managers that build versions of projections, and follow when they are exchanged. */
final class RebuildEngineTest {
    private static final String NAME = "balances";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final ManagerBench bench = new ManagerBench();
    private final ProjectionRebuilds rebuilds = bench.operations.rebuilds();

    @AfterEach
    void stop() {
        bench.close();
    }

    /** Balances that can be rebuilt, and tell each event once to a table of their own. */
    private static class Rebuilt extends Balances
            implements RebuildableProjection<Transaction>, SideEffectingProjection<Transaction> {
        private final int revision;

        Rebuilt(int revision) {
            super(NAME);
            this.revision = revision;
        }

        @Override
        public int revision() {
            return revision;
        }

        @Override
        public Set<String> tables() {
            return Set.of(NAME);
        }

        @Override
        public void create(Transaction transaction) throws Exception {
            // a table is there when something is written to it
        }

        @Override
        public void follow(Transaction transaction, EventEnvelope event) throws Exception {
            InMemoryProjectionStore.Table<Accounts.Balance> followed = transaction.table("followed");
            String key = event.aggregateId();
            followed.put(key, followed.lock(key).orElse(Accounts.Balance.NONE).plus(event));
        }
    }

    private void append() {
        for (int round = 0; round < 5; round++) {
            for (int account = 0; account < 20; account++) {
                Accounts.append(bench.events, "account-" + account, round);
            }
        }
    }

    private int rebuild(int revision, long from) {
        return rebuilds.rebuild(NAME, OptionalInt.of(revision), from, ManagerBench.ACT);
    }

    private ProjectionVersion version(int number) {
        return bench.database.versions(NAME).stream()
                .filter(version -> version.version() == number)
                .findFirst()
                .orElseThrow();
    }

    private Map<String, Accounts.Balance> balances(int version) {
        return bench.database.table(version(version), NAME);
    }

    private void awaitBuilt(int version) {
        Map<String, Accounts.Balance> expected = Accounts.fold(bench.events);
        bench.await("version " + version, () -> balances(version).equals(expected));
    }

    private CutoverReport cutOver(int version) {
        return rebuilds.cutOver(NAME, version, TIMEOUT, Set.of(), ManagerBench.ACT);
    }

    private void assertFollowedOnce() {
        assertThat(bench.database.<Accounts.Balance>table("followed")).isEqualTo(Accounts.fold(bench.events));
    }

    @Test
    void a_version_is_built_beside_the_live_one_and_becomes_live_while_events_keep_coming() throws Exception {
        bench.startWithLongLease(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        assertThat(rebuild(1, 0)).isEqualTo(2);
        awaitBuilt(2);
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> more = CompletableFuture.runAsync(() -> {
            while (!done.get()) {
                Accounts.append(bench.events, "account-7", 1);
            }
        });
        assertThat(cutOver(2).to()).isEqualTo(2);
        assertThat(cutOver(1).to()).isEqualTo(1);
        assertThat(cutOver(2).to()).isEqualTo(2);
        done.set(true);
        more.join();
        append();
        awaitBuilt(2);
        awaitBuilt(1);
        assertThat(bench.balances(NAME)).isEqualTo(Accounts.fold(bench.events));
        assertFollowedOnce();
        assertThat(rebuilds.compare(NAME, 1, Set.of(), TIMEOUT).isEqual()).isTrue();
        assertThat(bench.told.all(Told.Lost.class)).isEmpty();
    }

    @Test
    void a_paused_candidate_is_behind_once_the_live_version_continues() {
        Running running = bench.start(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        rebuild(1, 0);
        awaitBuilt(2);
        bench.await("caught up", () -> share(running, 2) == 1);
        bench.operations.pause(NAME + "@2", ManagerBench.ACT);
        append();
        bench.await("behind", () -> share(running, 2) < 1);
    }

    private static double share(Running running, int version) {
        return running.manager().views().stream()
                .filter(view -> view.version().version() == version)
                .flatMap(view -> view.rebuild().stream())
                .mapToDouble(RebuildProgress::share)
                .findFirst()
                .orElse(0);
    }

    @Test
    void versions_are_run_by_processes_with_their_code() throws Exception {
        Running old = bench.start(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        Running recent = bench.start(new Rebuilt(2));
        bench.await(
                "what is to be done",
                () -> recent.manager()
                        .views()
                        .getFirst()
                        .outage()
                        .orElse("")
                        .contains("rebuild balances --revision 2"));
        rebuild(2, 0);
        awaitBuilt(2);
        assertThat(recent.manager().views())
                .singleElement()
                .satisfies(view -> assertThat(view.version().version()).isEqualTo(2));
        assertThat(old.manager().views())
                .singleElement()
                .satisfies(view -> assertThat(view.version().version()).isEqualTo(1));
        cutOver(2);
        append();
        awaitBuilt(2);
        awaitBuilt(1);
        old.stop();
        rebuilds.drop(NAME, 1, ManagerBench.ACT);
        Running both = bench.start(
                bench.database.store(),
                builder -> builder.add(new Rebuilt(1), bench.source).add(new Rebuilt(2), bench.source));
        append();
        awaitBuilt(2);
        bench.await(
                "the view", () -> both.manager().views().getFirst().version().version() == 2);
        assertFollowedOnce();
    }

    @Test
    void a_process_without_the_live_version_logs_it_once() throws Exception {
        bench.start(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        rebuild(2, 0);
        try (LogLines lines = new LogLines(RunningVersions.class)) {
            bench.start(new Rebuilt(2));
            awaitBuilt(2);
            bench.await("said", () -> !elsewhere(lines, 1).isEmpty());
            cutOver(2);
            bench.await("said by the other", () -> !elsewhere(lines, 2).isEmpty());
            assertThat(elsewhere(lines, 1)).hasSize(1);
        }
    }

    private static List<String> elsewhere(LogLines lines, int live) {
        return lines.of(Level.WARN, NAME).stream()
                .filter(line -> line.contains("the live version %d has revision".formatted(live)))
                .toList();
    }

    @Test
    void a_dropped_version_ends_quietly_and_the_live_one_continues() {
        Running running = bench.start(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        rebuild(1, 0);
        awaitBuilt(2);
        bench.await("two views", () -> running.manager().views().size() == 2);
        rebuilds.drop(NAME, 2, ManagerBench.ACT);
        append();
        bench.awaitBalances(NAME);
        bench.await("one view", () -> running.manager().views().size() == 1);
        assertThat(bench.told.all(Told.Failed.class)).isEmpty();
    }

    @Test
    void listeners_are_told_which_versions_run_before_anything_else_of_them() {
        bench.start(new Rebuilt(1));
        append();
        awaitTold(VersionRole.LIVE);
        rebuild(1, 0);
        awaitBuilt(2);
        awaitTold(VersionRole.LIVE, VersionRole.CANDIDATE);
        assertThat(bench.told.stream().filter(RebuildEngineTest::isOfSecond).findFirst())
                .containsInstanceOf(Told.Versions.class);
        cutOver(2);
        awaitTold(VersionRole.RETIRED, VersionRole.LIVE);
        rebuilds.drop(NAME, 1, ManagerBench.ACT);
        awaitTold(VersionRole.LIVE);
    }

    private void awaitTold(VersionRole... roles) {
        bench.await(
                "the roles",
                () -> bench.told.all(Told.Versions.class).reversed().stream()
                        .findFirst()
                        .map(told -> told.versions().stream()
                                .map(ProjectionVersion::role)
                                .toList())
                        .equals(Optional.of(List.of(roles))));
    }

    private static boolean isOfSecond(Told told) {
        return switch (told) {
            case Told.Versions versions -> versions.versions().size() > 1;
            case Told.Applied applied -> applied.projection().equals("balances@2");
            case Told.Event event -> event.projection().equals("balances@2");
            case Told.Status status -> status.projection().equals("balances@2");
            default -> false;
        };
    }

    @Test
    void a_version_continues_where_it_stopped_after_a_restart() throws Exception {
        Running first = bench.start(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        first.stop();
        rebuild(1, 0);
        CountDownLatch half = new CountDownLatch(1);
        AtomicBoolean stuck = new AtomicBoolean(true);
        Running stopped = bench.start(new Rebuilt(1) {
            @Override
            public void apply(Transaction transaction, EventEnvelope event) throws Exception {
                if (event.eventVersion() > 3 && stuck.get()) {
                    half.countDown();
                    throw new ProjectionException(FailureKind.TRANSIENT, "not now", null);
                }
                super.apply(transaction, event);
            }
        });
        assertThat(half.await(20, TimeUnit.SECONDS)).isTrue();
        stopped.manager().close();
        stuck.set(false);
        bench.start(new Rebuilt(1));
        awaitBuilt(2);
        assertThat(cutOver(2).to()).isEqualTo(2);
        assertFollowedOnce();
    }

    @Test
    void a_version_that_has_caught_up_has_counted_each_event_once() {
        AtomicBoolean broken = new AtomicBoolean();
        bench.start(new Rebuilt(1) {
            @Override
            public void apply(Transaction transaction, EventEnvelope event) throws Exception {
                if (broken.get() && event.aggregateId().equals("account-7") && event.eventVersion() > 2) {
                    throw new ProjectionException(FailureKind.POISON, "no such account", null);
                }
                super.apply(transaction, event);
            }
        });
        append();
        bench.awaitBalances(NAME);
        broken.set(true);
        rebuild(1, 0);
        List<RebuildProgress> caughtUp = new ArrayList<>();
        bench.await("version 2", () -> {
            rebuilds.progress(NAME).stream().filter(RebuildProgress::isCaughtUp).forEach(caughtUp::add);
            return !caughtUp.isEmpty();
        });
        assertThat(caughtUp.getFirst().applied()).isEqualTo(100);
        assertThat(caughtUp.getFirst().parked()).isEqualTo(1);
        broken.set(false);
        bench.operations.retry("balances@2", Optional.empty(), ManagerBench.ACT);
        awaitBuilt(2);
        bench.close();
        assertThat(rebuilds.progress(NAME).getFirst().applied()).isEqualTo(100);
    }

    @Test
    void an_event_that_was_skipped_is_skipped_when_it_is_built_anew() {
        AtomicBoolean broken = new AtomicBoolean();
        bench.start(new Rebuilt(1) {
            @Override
            public void apply(Transaction transaction, EventEnvelope event) throws Exception {
                boolean account = Set.of("account-7", "account-8").contains(event.aggregateId());
                if (account && event.eventVersion() == 3) {
                    throw new ProjectionException(FailureKind.POISON, "no such account", null);
                }
                if (broken.get() && event.aggregateId().equals("account-8") && event.eventVersion() == 2) {
                    throw new ProjectionException(FailureKind.POISON, "not now", null);
                }
                super.apply(transaction, event);
            }
        });
        append();
        for (String account : List.of("account-7", "account-8")) {
            bench.awaitParked(NAME, account, ParkReason.POISON);
            bench.await(
                    "events behind",
                    () -> bench.parked(NAME).stream().anyMatch(key -> key.key().equals(account) && key.events() == 3));
            assertThat(bench.operations.skip(NAME, account, 3, ManagerBench.ACT))
                    .isTrue();
        }
        bench.await("what follows", () -> bench.parked(NAME).isEmpty());
        broken.set(true);
        rebuild(1, 0);
        bench.await("version 2", () -> rebuilds.progress(NAME).getFirst().isCaughtUp());
        assertThat(bench.parked("balances@2")).extracting(ParkedAggregate::key).containsExactly("account-8");
        assertThat(balances(2).getOrDefault("account-7", Accounts.Balance.NONE).history())
                .containsExactly(1L, 2L, 4L, 5L);
        broken.set(false);
        bench.operations.retry("balances@2", Optional.empty(), ManagerBench.ACT);
        bench.await("what was parked", () -> bench.parked("balances@2").isEmpty());
        assertThat(balances(2)).isEqualTo(bench.balances(NAME));
        assertThat(cutOver(2).losses()).isEqualTo(new CutoverReport.Losses(0, 0, 0, 0));
    }

    @Test
    void a_version_may_begin_in_the_middle() {
        bench.start(new Rebuilt(1));
        append();
        bench.awaitBalances(NAME);
        rebuild(1, 60);
        Accounts.append(bench.events, "account-3", 9);
        bench.await(
                "what came since",
                () -> balances(2)
                        .getOrDefault("account-3", Accounts.Balance.NONE)
                        .history()
                        .equals(List.of(4L, 5L, 6L)));
        assertThat(bench.parked("balances@2")).isEmpty();
    }

    @Test
    void a_version_that_cannot_be_prepared_fails_and_can_be_resumed() {
        AtomicBoolean broken = new AtomicBoolean(true);
        bench.start(new Rebuilt(1) {
            @Override
            public void create(Transaction transaction) {
                if (broken.get()) {
                    throw new ProjectionException(FailureKind.FATAL, "no room for tables", null);
                }
            }
        });
        append();
        bench.awaitBalances(NAME);
        rebuild(1, 0);
        bench.await("a failure", () -> bench.status("balances@2") == ProjectionStatus.FAILED);
        assertThat(bench.details("balances@2").state().lastError()).contains("no room for tables");
        assertThat(bench.status(NAME)).isEqualTo(ProjectionStatus.RUNNING);
        broken.set(false);
        assertThat(bench.operations.resume("balances@2", ManagerBench.ACT)).isTrue();
        awaitBuilt(2);
    }

    @Test
    void a_projection_that_is_not_rebuildable_is_not_run_as_a_candidate() {
        bench.start(new Balances(NAME));
        append();
        bench.awaitBalances(NAME);
        rebuild(1, 0);
        bench.await("a failure", () -> bench.status("balances@2") == ProjectionStatus.FAILED);
        assertThat(bench.details("balances@2").state().lastError().orElseThrow())
                .contains("RebuildableProjection", "drop version 2");
        bench.awaitBalances(NAME);
    }

    @Test
    void read_models_elsewhere_are_written_by_the_projection_of_their_version() {
        bench.start(bench.database.store(), builder -> builder.add(new Elsewhere(0), bench.source));
        append();
        Map<String, Accounts.Balance> expected = Accounts.fold(bench.events);
        bench.await("version 1", () -> bench.database.table("index-1").equals(expected));
        rebuild(1, 0);
        bench.await("version 2", () -> bench.database.table("index-2").equals(expected));
        cutOver(2);
        assertThat(bench.database.table("index-0")).isEmpty();
    }

    private record Elsewhere(int number) implements Projection<Transaction> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Projection<Transaction> ofVersion(int version) {
            return new Elsewhere(version);
        }

        @Override
        public void apply(Transaction transaction, EventEnvelope event) throws Exception {
            InMemoryProjectionStore.Table<Accounts.Balance> index = transaction.table("index-" + number);
            String key = event.aggregateId();
            index.put(key, index.lock(key).orElse(Accounts.Balance.NONE).plus(event));
        }
    }

    @Test
    void side_effects_that_fail_are_a_failure_of_their_event() {
        AtomicBoolean broken = new AtomicBoolean(true);
        bench.start(new Rebuilt(1) {
            @Override
            public void follow(Transaction transaction, EventEnvelope event) throws Exception {
                if (broken.get() && event.aggregateId().equals("account-3")) {
                    throw new ProjectionException(FailureKind.POISON, "no such outbox", null);
                }
                super.follow(transaction, event);
            }
        });
        append();
        bench.awaitParked(NAME, "account-3", ParkReason.POISON);
        assertThat(bench.history(NAME, "account-3")).isEmpty();
        broken.set(false);
        bench.operations.retry(NAME, Optional.empty(), ManagerBench.ACT);
        bench.awaitBalances(NAME);
        assertFollowedOnce();
    }

    @Test
    void effects_of_parked_events_follow_once_though_the_version_that_parked_them_becomes_live() {
        AtomicBoolean broken = new AtomicBoolean(true);
        bench.start(new Rebuilt(1) {
            @Override
            public RebuildableBalances ofVersion(int version) {
                return new RebuildableBalances(version, broken);
            }
        });
        append();
        bench.awaitBalances(NAME);
        rebuild(1, 0);
        bench.awaitParked("balances@2", "account-3", ParkReason.POISON);
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(CutoverReport.Loss.PARKED), ManagerBench.ACT)
                        .losses())
                .isEqualTo(new CutoverReport.Losses(0, 1, 0, 0));
        Accounts.append(bench.events, "account-3", 5);
        broken.set(false);
        bench.await("the parked events", () -> bench.parked(NAME).getFirst().events() == 6);
        bench.operations.retry(NAME, Optional.empty(), ManagerBench.ACT);
        bench.awaitBalances(NAME);
        assertFollowedOnce();
    }

    /** Fails for an account in version 2. */
    private static final class RebuildableBalances extends Rebuilt {
        RebuildableBalances(int version, AtomicBoolean broken) {
            super(1);
            failing(event -> {
                if (version == 2 && broken.get() && event.aggregateId().equals("account-3")) {
                    throw new ProjectionException(FailureKind.POISON, "no such account", null);
                }
            });
        }
    }

    @Test
    void two_of_a_name_and_revision_are_refused() {
        assertThatThrownBy(() -> ProjectionManager.builder(bench.database)
                        .add(new Rebuilt(2), bench.source)
                        .add(new Rebuilt(2), bench.source))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two projections have the name 'balances' and revision 2");
    }
}

package dev.spream.testkit.memory;

import dev.spream.projection.AuditedAction;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionComparison;
import dev.spream.projection.VersionRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Versions of the projections of an {@link InMemoryProjectionStore}: rebuild and cutover. */
final class MemoryRebuilds implements ProjectionRebuilds {
    private final ProjectionMemory memory;

    MemoryRebuilds(ProjectionMemory memory) {
        this.memory = memory;
    }

    @Override
    public List<ProjectionVersion> versions(String projection) {
        return memory.locked(() -> memory.versions(projection).stream()
                .map(StoredProjection::version)
                .toList());
    }

    @Override
    public List<RebuildProgress> progress(String projection) {
        return memory.locked(() -> memory.versions(projection).stream()
                .filter(found -> !found.version().isLive())
                .map(memory::progress)
                .toList());
    }

    @Override
    public int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act) {
        return memory.locked(() -> {
            StoredProjection live = requireLive(projection);
            requireRebuildable(live, from);
            int number = memory.lastVersion(projection) + 1;
            int of = revision.orElse(live.version().revision());
            StoredProjection candidate = memory.add(
                    new ProjectionVersion(projection, number, of, VersionRole.CANDIDATE, from, false),
                    live.segments.count(),
                    new ProjectionCode(of, Set.of(), false));
            int taken = skipped == SkippedEvents.SKIP ? candidate.skipAsIn(live) : 0;
            audit(candidate, "rebuild", candidate.version().begun(taken), act);
            return number;
        });
    }

    private void requireRebuildable(StoredProjection live, long from) {
        String name = live.version().projection();
        if (live.segments.count() == 0) {
            throw new IllegalStateException(
                    "projection '%s' follows a source without positions, which does not deliver old events again; nothing was changed: run it with the event store as its source, under another name"
                            .formatted(name));
        }
        memory.versions(name).stream()
                .filter(found -> found.version().role() == VersionRole.CANDIDATE)
                .findFirst()
                .ifPresent(candidate -> {
                    throw new IllegalStateException(
                            "version %d of projection '%s' is being built; nothing was changed: cut over to it, or drop it first"
                                    .formatted(candidate.version().version(), name));
                });
        if (from > live.segments.position()) {
            throw new IllegalStateException(
                    "the live version of projection '%s' is at position %d, and another cannot begin behind %d; nothing was changed"
                            .formatted(name, live.segments.position(), from));
        }
    }

    private StoredProjection requireLive(String projection) {
        return memory.live(projection)
                .orElseThrow(() -> new IllegalStateException(
                        "there is no projection '%s'; nothing was changed".formatted(projection)));
    }

    /** Returns a version that is not live; fails if there is none. */
    private StoredProjection requireOther(String projection, int version) {
        StoredProjection found = memory.find(ProjectionVersion.stateName(projection, version))
                .orElseThrow(
                        () -> new IllegalStateException("there is no version %d of projection '%s'; nothing was changed"
                                .formatted(version, projection)));
        if (found.version().isLive()) {
            throw new IllegalStateException(
                    "version %d of projection '%s' is live; nothing was changed".formatted(version, projection));
        }
        return found;
    }

    private void audit(StoredProjection projection, String action, String outcome, Act act) {
        projection.audit.add(new AuditedAction(memory.now(), action, outcome, act));
    }

    @Override
    public CutoverReport cutOver(
            String projection, int version, Duration timeout, Set<CutoverReport.Loss> accepted, Act act) {
        return memory.locked(() -> {
            try (StandStill still = quiesce(projection, version, timeout, true)) {
                StoredProjection live = still.live;
                StoredProjection other = still.other;
                int from = live.version().version();
                CutoverReport.Losses losses = live.losses(other);
                losses.requireAccepted(accepted, projection, from, version);
                exchange(live, other);
                audit(
                        other,
                        CutoverReport.action(from, version),
                        "version %d -> version %d".formatted(from, version),
                        act);
                return new CutoverReport(projection, from, version, still.since(), losses);
            }
        });
    }

    private void exchange(StoredProjection live, StoredProjection other) {
        other.followOn(live);
        live.code().tables().forEach(table -> memory.rows.move(table, live.ownPlace(table)));
        other.code().tables().forEach(table -> memory.rows.move(other.ownPlace(table), table));
        live.exchange(VersionRole.RETIRED, memory.now());
        other.exchange(VersionRole.LIVE, memory.now());
    }

    @Override
    public VersionComparison compare(String projection, int version, Set<String> ignored, Duration timeout) {
        requireNoneIgnored(ignored);
        return memory.locked(() -> {
            try (StandStill still = quiesce(projection, version, timeout, false)) {
                Set<String> tables = new TreeSet<>(still.live.code().tables());
                tables.addAll(still.other.code().tables());
                List<VersionComparison.Table> compared = new ArrayList<>();
                tables.forEach(table -> compared.add(compare(table, still.live, still.other)));
                return new VersionComparison(projection, still.live.version().version(), version, compared);
            }
        });
    }

    private static void requireNoneIgnored(Set<String> ignored) {
        if (!ignored.isEmpty()) {
            throw new IllegalStateException(
                    "read models in memory have no columns, but %s are to be ignored; nothing was compared: ignore none"
                            .formatted(ignored));
        }
    }

    private VersionComparison.Table compare(String table, StoredProjection live, StoredProjection other) {
        boolean both =
                live.code().tables().contains(table) && other.code().tables().contains(table);
        return compare(table, rows(live, table), rows(other, table), both ? List.of() : List.of("*"));
    }

    private Map<String, Object> rows(StoredProjection version, String table) {
        return version.code().tables().contains(table) ? memory.rows.table(version.place(table)) : Map.of();
    }

    private static VersionComparison.Table compare(
            String table, Map<String, Object> live, Map<String, Object> other, List<String> oneSided) {
        Set<Map.Entry<String, Object>> different = new HashSet<>(live.entrySet());
        different.removeAll(other.entrySet());
        Set<Map.Entry<String, Object>> more = new HashSet<>(other.entrySet());
        more.removeAll(live.entrySet());
        return new VersionComparison.Table(table, live.size(), other.size(), different.size() + more.size(), oneSided);
    }

    /** Holds both versions at the same positions, until the result is closed. */
    private StandStill quiesce(String projection, int version, Duration timeout, boolean exchange) {
        long until = memory.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        boolean free = memory.await(
                () -> memory.versions(projection).stream().noneMatch(StoredProjection::isAlone),
                until,
                waiting(projection));
        StoredProjection live = requireLive(projection);
        StoredProjection other = requireOther(projection, version);
        if (!free) {
            throw new IllegalStateException(
                    "projection '%s' is held by another operation; nothing was changed: try again"
                            .formatted(projection));
        }
        StandStill still = new StandStill(live, other, exchange);
        still.requireAble();
        try {
            still.begin(until);
            return still;
        } catch (RuntimeException e) {
            still.close();
            throw e;
        }
    }

    private static String waiting(String projection) {
        return "while versions of projection '%s' were to stand still".formatted(projection);
    }

    /** Two versions that are held at the same positions. */
    private final class StandStill implements AutoCloseable {
        private final StoredProjection live;
        private final StoredProjection other;
        private final boolean exchange;
        private long heldAt;

        /** @param exchange whether the other version is to be made live, and not only compared */
        StandStill(StoredProjection live, StoredProjection other, boolean exchange) {
            this.live = live;
            this.other = other;
            this.exchange = exchange;
        }

        /** Checks that the live version is not paused, though it may have failed: the new live version runs. */
        void requireAble() {
            if (isPaused()) {
                throw new IllegalStateException(
                        "projection '%s' is PAUSED; nothing was changed: resume it, and repeat this"
                                .formatted(live.version().projection()));
            }
            if (!other.isActive()) {
                throw new IllegalStateException(
                        "version %d of projection '%s' is %s; nothing was changed: resume it first"
                                .formatted(
                                        other.version().version(),
                                        other.version().projection(),
                                        other.status()));
            }
            if (!other.version().prepared()) {
                throw new IllegalStateException(
                        "version %d of projection '%s' has no read model yet, since it has not run; nothing was changed: run its revision %d"
                                .formatted(
                                        other.version().version(),
                                        other.version().projection(),
                                        other.version().revision()));
            }
        }

        private boolean isPaused() {
            return exchange && live.status() == ProjectionStatus.PAUSED;
        }

        void begin(long until) {
            hold(live, until);
            heldAt = memory.nanoTime();
            boolean equal = memory.await(
                    () -> isPaused() || !other.isActive() || live.segments.firstBehind(other.segments) < 0,
                    until,
                    waiting(live.version().projection()));
            requireAble();
            if (!equal) {
                throw behind();
            }
            hold(other, until);
            requireAble();
            if (live.segments.firstBehind(other.segments) >= 0) {
                throw behind();
            }
        }

        /** Waits for the version's open transactions, and keeps others from beginning. */
        private void hold(StoredProjection version, long until) {
            version.alone(true);
            if (!memory.await(
                    () -> !version.isEntered(), until, waiting(version.version().projection()))) {
                throw new IllegalStateException(
                        "a transaction of version %d of projection '%s' has not ended in time; nothing was changed, try it again"
                                .formatted(
                                        version.version().version(),
                                        version.version().projection()));
            }
        }

        private IllegalStateException behind() {
            int segment = live.segments.firstBehind(other.segments);
            return new IllegalStateException(
                    "segment %d of version %d of projection '%s' is at position %d, and %d in the live version; nothing was changed: try it again when it has caught up"
                            .formatted(
                                    segment,
                                    other.version().version(),
                                    other.version().projection(),
                                    other.segments.position(segment),
                                    live.segments.position(segment)));
        }

        Duration since() {
            return Duration.ofNanos(memory.nanoTime() - heldAt);
        }

        @Override
        public void close() {
            live.alone(false);
            other.alone(false);
            memory.statusChanged();
        }
    }

    @Override
    public void drop(String projection, int version, Act act) {
        memory.locked(() -> {
            StoredProjection found = requireOther(projection, version);
            memory.await(() -> !found.isAlone(), Long.MAX_VALUE, waiting(projection));
            requireOther(projection, version).alone(true);
            try {
                memory.await(() -> !found.isEntered() && !found.isPreparing(), Long.MAX_VALUE, waiting(projection));
                found.code().tables().forEach(table -> memory.rows.drop(found.ownPlace(table)));
                memory.remove(found);
                audit(found, "drop", "version %d".formatted(version), act);
            } finally {
                found.alone(false);
                memory.statusChanged();
            }
        });
    }
}

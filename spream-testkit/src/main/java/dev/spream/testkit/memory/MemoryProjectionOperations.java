package dev.spream.testkit.memory;

import dev.spream.projection.AuditedAction;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The operator's view of an {@link InMemoryProjectionStore}. */
final class MemoryProjectionOperations implements ProjectionOperations {
    private static final Set<ProjectionStatus> STOPPED = Set.of(ProjectionStatus.PAUSED, ProjectionStatus.FAILED);

    private final ProjectionMemory memory;

    MemoryProjectionOperations(ProjectionMemory memory) {
        this.memory = memory;
    }

    @Override
    public List<ProjectionState> list() {
        return memory.locked(
                () -> memory.projections().stream().map(StoredProjection::state).toList());
    }

    @Override
    public Optional<ProjectionDetails> show(String projection) {
        return memory.locked(() -> memory.named(projection).map(found -> found.details(memory.now())));
    }

    @Override
    public boolean pause(String projection, Act act) {
        return memory.locked(() -> {
            boolean paused = change(
                    projection,
                    "pause",
                    act,
                    found -> Optional.of(found)
                            .filter(StoredProjection::isActive)
                            .map(running -> become(running, ProjectionStatus.PAUSED)));
            if (paused) {
                memory.named(projection).ifPresent(memory::awaitIdle);
            }
            return paused;
        });
    }

    @Override
    public boolean resume(String projection, Act act) {
        return memory.locked(() -> change(
                projection,
                "resume",
                act,
                found -> Optional.of(found)
                        .filter(stopped -> STOPPED.contains(stopped.status()))
                        .map(stopped -> become(stopped, resumed(stopped)))));
    }

    private static ProjectionStatus resumed(StoredProjection projection) {
        return projection.version().isLive() ? ProjectionStatus.RUNNING : ProjectionStatus.REBUILDING;
    }

    /** Changes the status and returns the description for the audit. */
    private String become(StoredProjection projection, ProjectionStatus status) {
        ProjectionStatus before = projection.status();
        projection.become(status, memory.now());
        memory.statusChanged();
        return before + " -> " + status;
    }

    @Override
    public int retry(String projection, Optional<String> key, Act act) {
        return memory.locked(() -> {
            int tried = memory.named(projection)
                    .map(found -> found.tryAgain(key, memory.now()))
                    .orElse(0);
            String which = key.map("'%s'"::formatted).orElse("%d parked aggregates".formatted(tried));
            change(projection, "retry", act, found -> Optional.of(which).filter(any -> tried > 0));
            return tried;
        });
    }

    @Override
    public boolean skip(String projection, String key, long version, Act act) {
        return memory.locked(() -> {
            memory.named(projection).ifPresent(found -> memory.locks.awaitFree(found.row(key)));
            String what = "version %d of '%s'".formatted(version, key);
            return change(
                    projection,
                    "skip",
                    act,
                    found -> Optional.of(what).filter(any -> found.skip(key, version, memory.now())));
        });
    }

    @Override
    public boolean split(String projection, int segments, Act act) {
        ProjectionOperations.requireSplit(segments);
        return memory.locked(() -> {
            String when = "while projection '%s' was to stand still".formatted(projection);
            memory.await(
                    () -> memory.versions(projection).stream().noneMatch(StoredProjection::isAlone),
                    Long.MAX_VALUE,
                    when);
            try {
                memory.await(() -> isStill(projection), Long.MAX_VALUE, when);
                return splitPaused(projection, segments, act);
            } finally {
                memory.versions(projection).forEach(version -> version.alone(false));
                memory.statusChanged();
            }
        });
    }

    /** Keeps transactions from beginning; returns whether none is open in any version, including those begun meanwhile. */
    private boolean isStill(String projection) {
        List<StoredProjection> versions = memory.versions(projection);
        versions.forEach(version -> version.alone(true));
        return versions.stream().noneMatch(StoredProjection::isEntered);
    }

    private boolean splitPaused(String projection, int segments, Act act) {
        StoredProjection live = memory.live(projection)
                .orElseThrow(() -> new IllegalStateException(
                        "there is no projection '%s'; nothing was changed".formatted(projection)));
        int before = live.segments.count();
        if (before == 0) {
            throw new IllegalStateException(
                    "the source of projection '%s' has no positions, so it has no segments; nothing was changed"
                            .formatted(projection));
        }
        if (before == segments) {
            return false;
        }
        memory.versions(projection).forEach(version -> version.split(segments, memory.now()));
        live.audit.add(new AuditedAction(memory.now(), "segments", before + " -> " + segments, act));
        return true;
    }

    /** Makes a change and records its result in the audit. */
    private boolean change(
            String projection, String action, Act act, Function<StoredProjection, Optional<String>> change) {
        return memory.named(projection)
                .filter(found -> change.apply(found)
                        .map(outcome -> found.audit.add(new AuditedAction(memory.now(), action, outcome, act)))
                        .isPresent())
                .isPresent();
    }

    @Override
    public List<ParkedAggregate> parked(String projection, int limit) {
        return memory.locked(() -> memory.named(projection)
                .map(found -> found.parked(memory.now(), limit))
                .orElse(List.of()));
    }

    @Override
    public ProjectionRebuilds rebuilds() {
        return new MemoryRebuilds(memory);
    }

    @Override
    public List<ProjectionDeadLetter> deadLetters(String projection, int limit) {
        return last(projection, found -> found.deadLetters, limit);
    }

    @Override
    public List<AuditedAction> audit(String projection, int limit) {
        return last(projection, found -> found.audit, limit);
    }

    private <V> List<V> last(String projection, Function<StoredProjection, List<V>> kept, int limit) {
        return memory.locked(() -> memory.named(projection)
                .map(found -> kept.apply(found).reversed().stream().limit(limit).toList())
                .orElse(List.of()));
    }

    @Override
    public void close() {}
}

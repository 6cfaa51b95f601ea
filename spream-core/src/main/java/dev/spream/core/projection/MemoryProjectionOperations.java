package dev.spream.core.projection;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** What people use of an {@link InMemoryProjectionStore}. */
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
        return memory.locked(() -> memory.find(projection).map(found -> found.details(memory.now())));
    }

    @Override
    public boolean pause(String projection, Act act) {
        return memory.locked(() -> {
            boolean paused = change(
                    projection,
                    "pause",
                    act,
                    found -> found.status() == ProjectionStatus.RUNNING && become(found, ProjectionStatus.PAUSED));
            if (paused) {
                memory.awaitNobody(memory.require(projection));
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
                found -> STOPPED.contains(found.status()) && become(found, ProjectionStatus.RUNNING)));
    }

    private boolean become(StoredProjection projection, ProjectionStatus status) {
        projection.become(status, memory.now());
        memory.statusChanged();
        return true;
    }

    @Override
    public int retry(String projection, Optional<String> key, Act act) {
        return memory.locked(() -> {
            int tried = memory.find(projection)
                    .map(found -> found.tryAgain(key, memory.now()))
                    .orElse(0);
            change(projection, "retry", act, found -> tried > 0);
            return tried;
        });
    }

    @Override
    public boolean skip(String projection, String key, long version, Act act) {
        return memory.locked(() -> {
            memory.find(projection).ifPresent(found -> memory.locks.awaitFree(found.row(key)));
            return change(projection, "skip", act, found -> found.skip(key, version, memory.now()));
        });
    }

    /** Makes a change, and writes down that it was made. */
    private boolean change(String projection, String action, Act act, Predicate<StoredProjection> change) {
        Optional<StoredProjection> changed = memory.find(projection).filter(change);
        changed.ifPresent(found -> found.audit.add(new StoredProjection.Audited(memory.now(), action, act)));
        return changed.isPresent();
    }

    @Override
    public List<ParkedKey> parked(String projection, int limit) {
        return memory.locked(() -> memory.find(projection)
                .map(found -> found.parked(memory.now(), limit))
                .orElse(List.of()));
    }

    @Override
    public void close() {}
}

package dev.spream.projection.runner;

import dev.spream.projection.ExternalReadModel;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildableProjection;
import java.util.Optional;

/**
 * Determines the current role of a version and the events that it skips when a loop begins, and creates its read model
 * if absent. A loop that has claimed its segment before is fenced off if roles are exchanged afterwards. Confined to
 * the loop's thread.
 */
final class VersionEntry<T> {
    private final ProjectionStore<T> store;
    private final VersionStatus status;
    private final VersionCode<T> code;
    private final FailureClassifier judge;
    private boolean thrown;

    VersionEntry(ProjectionStore<T> store, VersionStatus status, VersionCode<T> code, FailureClassifier judge) {
        this.store = store;
        this.status = status;
        this.code = code;
        this.judge = judge;
    }

    ProjectionVersion enter() throws LoopExit {
        ProjectionVersion version = store.versions(status.version().projection()).stream()
                .filter(found -> found.stateName().equals(status.name))
                .findFirst()
                .orElseThrow(() -> LoopExit.fenced(status.name));
        if (!version.prepared()) {
            prepare(version);
        }
        if (version.version() > 1) {
            code.skip(store.skipped(status.name));
        }
        return version;
    }

    private void prepare(ProjectionVersion version) throws LoopExit {
        if (!code.isVersioned()) {
            throw LoopExit.fatal(new ProjectionException(
                    FailureKind.FATAL,
                    "projection '%s' does not support several versions of its read model: it must be a RebuildableProjection, or override ofVersion; drop version %d"
                            .formatted(version.projection(), version.version()),
                    null));
        }
        boolean there;
        try {
            there = store.prepare(version, ProjectionCode.of(code.projection()), this::create);
        } catch (Throwable t) {
            throw end(t);
        }
        if (!there) {
            throw LoopExit.fenced(status.name);
        }
    }

    private LoopExit end(Throwable t) throws LoopExit {
        FailureKind kind = judge.kind(t, thrown || t instanceof ProjectionException);
        Exception failure = FailureClassifier.asException(t);
        LoopExit.ifOfEveryEvent(kind, failure);
        return kind == FailureKind.POISON ? LoopExit.fatal(failure) : LoopExit.outage(failure);
    }

    /** Begins an external read model, or checks that it is the recorded one. */
    void requireModel(ProjectionVersion version) throws LoopExit {
        if (!(code.projection() instanceof ExternalReadModel model)) {
            return;
        }
        Optional<String> id;
        try {
            id = store.outsideModel(version, () -> begun(model));
            if (id.isPresent()) {
                model.require(id.get());
            }
        } catch (Throwable t) {
            throw end(t);
        }
        if (id.isEmpty()) {
            throw LoopExit.fenced(status.name);
        }
    }

    private String begun(ExternalReadModel model) throws Exception {
        try {
            return model.begin();
        } catch (Throwable t) {
            thrown = true;
            throw t;
        }
    }

    private void create(T transaction) throws Exception {
        if (code.projection() instanceof RebuildableProjection<? super T> rebuildable) {
            try {
                rebuildable.create(transaction);
            } catch (Throwable t) {
                thrown = true;
                throw t;
            }
        }
    }
}

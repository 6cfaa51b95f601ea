package dev.spream.emulator.internal.database;

import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The commits of a database from a moment on, in memory. Safe for use by many threads. */
public final class RecordedCommits implements CommitLog {
    private final Queue<CommittedRow> rows = new ConcurrentLinkedQueue<>();

    /** Adds a commit; called in the order of commits. */
    public void add(Commit commit) {
        for (RowChange change : commit.changes()) {
            rows.add(new CommittedRow(
                    commit.timestamp(), change.table().name(), change.kind() == RowChange.Kind.DELETE, change.row()));
        }
    }

    @Override
    public List<CommittedRow> rows() {
        return List.copyOf(rows);
    }
}

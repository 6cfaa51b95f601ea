package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** Reads a change stream up to an end, one partition after the other, parents before children, each once. */
final class StreamWalk {
    private final ChangeStreamSource source;
    private final Instant end;
    private final Set<PartitionToken> known = new HashSet<>();
    private final Queue<PartitionQuery> open = new ArrayDeque<>();
    private final List<DataChangeRecord> changes = new ArrayList<>();
    private int splits;
    private int merges;

    private StreamWalk(ChangeStreamSource source, Instant end) {
        this.source = source;
        this.end = end;
    }

    static StreamWalk of(ChangeStreamSource source, Instant start, Instant end) throws InterruptedException {
        StreamWalk walk = new StreamWalk(source, end);
        walk.add(PartitionToken.ROOT, start);
        while (!walk.open.isEmpty()) {
            walk.read(walk.open.remove());
        }
        return walk;
    }

    private void add(PartitionToken token, Instant start) {
        if (known.add(token)) {
            open.add(new PartitionQuery(token, start, Optional.of(end), AccountDatabase.HEARTBEAT));
        }
    }

    private void read(PartitionQuery query) throws InterruptedException {
        for (ChangeRecord record : records(source, query)) {
            switch (record) {
                case DataChangeRecord change -> changes.add(change);
                case ChildPartitionsRecord children -> follow(query.token(), children);
                case HeartbeatRecord heartbeat ->
                    assertThat(heartbeat.timestamp()).isAfterOrEqualTo(query.startTimestamp());
                case PartitionStartRecord start -> throw unexpected(start);
                case PartitionEventRecord event -> throw unexpected(event);
                case PartitionEndRecord end -> throw unexpected(end);
            }
        }
    }

    private static AssertionError unexpected(ChangeRecord record) {
        return new AssertionError("not of a stream with immutable key ranges: " + record);
    }

    private void follow(PartitionToken parent, ChildPartitionsRecord record) {
        if (!parent.isRoot() && record.childPartitions().size() > 1) {
            splits++;
        }
        for (ChildPartition child : record.childPartitions()) {
            if (child.parentTokens().size() > 1) {
                merges++;
            }
            add(new PartitionToken(child.token()), record.startTimestamp());
        }
    }

    /** All records of one query. */
    static List<ChangeRecord> records(ChangeStreamSource source, PartitionQuery query) throws InterruptedException {
        List<ChangeRecord> records = new ArrayList<>();
        try (ChangeStreamCursor cursor = source.query(query)) {
            for (Optional<ChangeRecord> record = cursor.next(); record.isPresent(); record = cursor.next()) {
                records.add(record.get());
            }
        }
        return records;
    }

    List<DataChangeRecord> changes() {
        return changes;
    }

    /** The ids of the accounts that changed, once for each change. */
    List<String> ids() {
        return changes.stream()
                .flatMap(change -> change.mods().stream())
                .map(mod -> mod.keys().string("Id").orElseThrow())
                .toList();
    }

    int splits() {
        return splits;
    }

    /** Children of several parents, once for each parent that named them. */
    int merges() {
        return merges;
    }
}

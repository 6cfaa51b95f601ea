package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of collected changes that is not counted yet, and the positions of their partitions after them. Confined to
 * the thread that commits.
 */
final class Draft {
    private final LogState state;
    private final List<PendingChange> changes = new ArrayList<>();
    private final Map<String, Run> runs = new LinkedHashMap<>();
    private final Set<String> replayed = new HashSet<>();

    private Draft(LogState state) {
        this.state = state;
    }

    /** Drops the changes that are counted already, or occur earlier in the list. */
    static Draft of(List<PendingChange> pending, LogState state) {
        Draft draft = new Draft(state);
        pending.stream().filter(draft::takes).forEach(draft.changes::add);
        return draft;
    }

    private boolean takes(PendingChange change) {
        if (change.isReplay()) {
            return !isReplayed(change) && replayed.add(change.identity().toString());
        }
        if (change.at().isBefore(state.floor())) {
            return false;
        }
        boolean isBehind = runs.computeIfAbsent(
                        change.partition().value(),
                        partition -> new Run(state.position(partition).orElse(null)))
                .takes(change);
        return isBehind && !isReplayed(change);
    }

    private boolean isReplayed(PendingChange change) {
        if (replayed.isEmpty() && !state.hasReplays()) {
            return false;
        }
        String identity = change.identity().toString();
        return state.isReplayed(identity) || replayed.contains(identity);
    }

    List<PendingChange> changes() {
        return changes;
    }

    List<PartitionCommit> partitions() {
        return runs.entrySet().stream()
                .filter(run -> run.getValue().count > 0)
                .map(run -> run.getValue().commit(run.getKey()))
                .toList();
    }

    List<String> replayed() {
        return replayed.stream().sorted().toList();
    }

    /** The changes of one partition that were taken, and the position after them. */
    private static final class Run {
        private @Nullable Instant at;
        private final Map<String, String> last = new HashMap<>();
        private @Nullable Instant from;
        private long epoch;
        private long count;

        Run(@Nullable Position counted) {
            if (counted != null) {
                at = counted.at();
                last.putAll(counted.last());
            }
        }

        boolean takes(PendingChange change) {
            Place place = change.place();
            if (at != null && place.at().isBefore(at)) {
                return false;
            }
            if (!place.at().equals(at)) {
                at = place.at();
                last.clear();
            }
            String before = last.get(place.transaction());
            if (before != null && place.sequence().compareTo(before) <= 0) {
                return false;
            }
            last.put(place.transaction(), place.sequence());
            from = from == null ? place.at() : from;
            epoch = Math.max(epoch, change.epoch());
            count++;
            return true;
        }

        PartitionCommit commit(String partition) {
            return new PartitionCommit(
                    partition, epoch, count, requireNonNull(from), new Position(requireNonNull(at), last));
        }
    }

    /** Returns the commit of these files. */
    LogEntry commit(String id, LogOwner owner, Instant now, Optional<Instant> lowWatermark, List<CommittedFile> files) {
        return new LogEntry(
                state.number() + 1,
                id,
                owner.name(),
                owner.createdAt().or(state::createdAt),
                now,
                lowWatermark,
                files,
                partitions(),
                replayed());
    }
}

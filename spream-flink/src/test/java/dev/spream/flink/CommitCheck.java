package dev.spream.flink;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.CommitLog.CommittedRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares what the state of a job has of each key with the emulator's own log of commits. */
final class CommitCheck {
    private CommitCheck() {}

    /** A version of a key, and the commit timestamp with which it was delivered. */
    record Version(Instant committed, long number) {}

    /** Requires each committed version of each key exactly once, in the order of the log. */
    static void assertDelivered(CommitLog log, Map<String, List<Version>> state) {
        assertThat(state).as("versions by key, as committed").isEqualTo(versions(log, Instant.MAX));
    }

    /**
     * Requires of each key its row as of the time of a snapshot, if there was one, and each version that was committed after
     * it up to the end exactly once, in the order of the log.
     */
    static void assertDeliveredAfterSnapshot(
            CommitLog log, Instant snapshot, Instant end, Map<String, List<Version>> state) {
        Map<String, List<Version>> expected = versions(log, end);
        expected.replaceAll((key, versions) -> {
            List<Version> after = new ArrayList<>(versions);
            after.removeIf(version -> !version.committed().isAfter(snapshot));
            if (after.size() < versions.size()) {
                after.addFirst(new Version(
                        snapshot,
                        versions.get(versions.size() - after.size() - 1).number()));
            }
            return after;
        });
        assertThat(state)
                .as("versions by key, after a snapshot as of %s", snapshot)
                .isEqualTo(expected);
    }

    private static Map<String, List<Version>> versions(CommitLog log, Instant until) {
        Map<String, List<Version>> versions = new TreeMap<>();
        for (CommittedRow row : log.rows()) {
            if (row.table().equals("Counters") && !row.timestamp().isAfter(until)) {
                versions.computeIfAbsent(requireNonNull(row.row().get("Id")).getStringValue(), key -> new ArrayList<>())
                        .add(new Version(
                                row.timestamp(),
                                Long.parseLong(
                                        requireNonNull(row.row().get("Version")).getStringValue())));
            }
        }
        return versions;
    }
}

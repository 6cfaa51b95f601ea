package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.CutoverReport;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.runner.Accounts.Balance;
import dev.spream.testkit.memory.InMemoryEventStore;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The invariants of the versions of a simulated projection: each read model is the fold of the first events of each
 * account, without the events skipped in it, and only grows; that of the live version is never behind what readers have
 * seen in any version, except for accounts that are parked; none is ahead of the live one; and each event has its side
 * effects once.
 */
final class SimulatedVersions {
    private final String name;
    private final InMemoryProjectionStore database;
    private final InMemoryEventStore events;
    private final ProjectionOperations operations;
    private final Map<Integer, Map<String, Set<Long>>> skipped = new HashMap<>();
    private final Map<Integer, Map<String, List<Long>>> applied = new HashMap<>();
    private final Map<String, Long> positions = new HashMap<>();
    private final Map<String, Long> shown = new HashMap<>(); // the last version of an account that readers have seen
    private final Map<String, Set<Long>> withoutEffect = new HashMap<>();

    SimulatedVersions(String name, InMemoryProjectionStore database, InMemoryEventStore events) {
        this.name = name;
        this.database = database;
        this.events = events;
        this.operations = database.operations();
    }

    List<ProjectionVersion> all() {
        return database.versions(name);
    }

    Optional<ProjectionVersion> live() {
        return all().stream().filter(ProjectionVersion::isLive).findFirst();
    }

    /** Returns the operators' name of a version. */
    String called(ProjectionVersion version) {
        return "%s@%d".formatted(name, version.version());
    }

    Map<String, Balance> rows(ProjectionVersion version) {
        return database.table(version, name);
    }

    void skipped(ProjectionVersion version, String key, long event) {
        skipped(version, key).add(event);
        without(key).add(event);
    }

    /** It skips what the live one has skipped. */
    void begun(int version) {
        skipped.getOrDefault(live().orElseThrow().version(), Map.of())
                .forEach((key, events) -> skipped(version(version), key).addAll(events));
    }

    private Set<Long> skipped(ProjectionVersion version, String key) {
        return skipped.computeIfAbsent(version.version(), any -> new HashMap<>())
                .computeIfAbsent(key, any -> new HashSet<>());
    }

    private Set<Long> without(String key) {
        return withoutEffect.computeIfAbsent(key, any -> new HashSet<>());
    }

    /** Events of accounts that are parked in the version that was live are further in the other, and nothing follows from them. */
    void droppedEffects(CutoverReport made) {
        ProjectionVersion old = version(made.from());
        ProjectionVersion now = version(made.to());
        Set<String> parked = operations.parked(called(old), Integer.MAX_VALUE).stream()
                .map(ParkedAggregate::key)
                .collect(Collectors.toSet());
        assertThat(made.losses().withoutEffects()).isLessThanOrEqualTo(parked.size());
        for (String key : parked) {
            Set<Long> missing = new HashSet<>(history(rows(now), key));
            missing.removeAll(history(database.table(RebuiltAccounts.FOLLOWED), key));
            without(key).addAll(missing);
        }
    }

    private ProjectionVersion version(int number) {
        return all().stream()
                .filter(version -> version.version() == number)
                .findFirst()
                .orElseThrow();
    }

    private static List<Long> history(Map<String, Balance> rows, String key) {
        return rows.getOrDefault(key, Balance.NONE).history();
    }

    /** Checks the invariants whenever the database may have changed. */
    void observe() {
        for (ProjectionVersion version : all()) {
            rows(version).forEach((key, balance) -> observe(version, key, balance.history()));
            observePositions(version);
        }
        live().ifPresent(this::observeShown);
        observeEffects();
    }

    private void observe(ProjectionVersion version, String key, List<Long> now) {
        Map<String, List<Long>> before = applied.computeIfAbsent(version.version(), any -> new HashMap<>());
        List<Long> last = before.getOrDefault(key, List.of());
        if (now.equals(last)) {
            return;
        }
        assertThat(now.size())
                .as("events of %s that were applied by %s", key, version)
                .isGreaterThanOrEqualTo(last.size());
        assertThat(now).as("what was applied of %s by %s", key, version).isEqualTo(versions(version, key, now.size()));
        before.put(key, now);
    }

    /** The first versions of an account, less what was skipped. */
    private List<Long> versions(ProjectionVersion version, String key, int count) {
        Set<Long> without = skipped(version, key);
        return LongStream.iterate(1, number -> number + 1)
                .filter(number -> !without.contains(number))
                .limit(count)
                .boxed()
                .toList();
    }

    private void observePositions(ProjectionVersion version) {
        Optional<ProjectionDetails> found = operations.show(called(version));
        for (ProjectionDetails.Segment segment :
                found.map(ProjectionDetails::segments).orElse(List.of())) {
            String which = "segment %d of %s".formatted(segment.segment(), called(version));
            assertThat(segment.position())
                    .as("position of %s", which)
                    .isBetween(positions.getOrDefault(which, 0L), database.limit(version, segment.segment()));
            positions.put(which, segment.position());
        }
    }

    private void observeShown(ProjectionVersion live) {
        Map<String, Balance> rows = database.table(name);
        shown.forEach((key, last) -> {
            List<Long> history = history(rows, key);
            boolean behind = history.isEmpty() || history.getLast() < last;
            if (behind && !skipped(live, key).contains(last) && !isParked(live, key)) {
                assertThat(history)
                        .as("what readers see of %s, after event %d", key, last)
                        .contains(last);
            }
        });
        rows.forEach((key, balance) -> shown.put(key, balance.history().getLast()));
        shown.keySet().retainAll(rows.keySet());
    }

    private boolean isParked(ProjectionVersion version, String key) {
        return operations.parked(called(version), Integer.MAX_VALUE).stream()
                .anyMatch(parked -> parked.key().equals(key));
    }

    private void observeEffects() {
        Map<String, Balance> followed = database.table(RebuiltAccounts.FOLLOWED);
        followed.forEach((key, balance) -> assertThat(balance.history())
                .as("side effects of %s", key)
                .doesNotHaveDuplicates()
                .isSorted());
    }

    /** Returns the fold of the events, without the skipped ones. */
    Map<String, Balance> expected(ProjectionVersion version) {
        Map<String, Balance> balances = new TreeMap<>();
        for (RecordedEvent recorded : events.readAll(0, Integer.MAX_VALUE)) {
            EventEnvelope event = recorded.event();
            if (!skipped(version, event.aggregateId()).contains(event.eventVersion())) {
                balances.merge(event.aggregateId(), Balance.NONE.plus(event), (before, one) -> before.plus(event));
            }
        }
        return balances;
    }

    boolean areDone() {
        return live().isPresent() && all().stream().allMatch(this::isDone);
    }

    /** Returns a description of the unfinished work, for waiting threads. */
    String undone() {
        return all().stream()
                .filter(version -> !isDone(version))
                .map(version -> "%s with %s instead of %s, %s and %s"
                        .formatted(
                                version,
                                rows(version),
                                expected(version),
                                operations.show(called(version)),
                                operations.parked(called(version), 100)))
                .collect(Collectors.joining("; "));
    }

    private boolean isDone(ProjectionVersion version) {
        return expected(version).equals(rows(version))
                && operations.parked(called(version), 1).isEmpty();
    }

    /** Checks the final state. */
    void judge() {
        observe();
        for (ProjectionVersion version : all()) {
            assertThat(rows(version)).as("rows of %s", version).isEqualTo(expected(version));
            ProjectionDetails details = operations.show(called(version)).orElseThrow();
            assertThat(details.parkedKeys()).isZero();
            assertThat(details.parkedEvents()).isZero();
            assertThat(details.deadLetters())
                    .isEqualTo(skipped.getOrDefault(version.version(), Map.of()).values().stream()
                            .mapToLong(Set::size)
                            .sum());
        }
        assertThat(database.<Balance>table(name)).isEqualTo(expected(live().orElseThrow()));
        judgeEffects();
    }

    private void judgeEffects() {
        Map<String, Balance> followed = database.table(RebuiltAccounts.FOLLOWED);
        for (RecordedEvent recorded : events.readAll(0, Integer.MAX_VALUE)) {
            EventEnvelope event = recorded.event();
            if (!without(event.aggregateId()).contains(event.eventVersion())) {
                assertThat(history(followed, event.aggregateId()))
                        .as("side effects of %s", event.aggregateId())
                        .contains(event.eventVersion());
            }
        }
    }
}

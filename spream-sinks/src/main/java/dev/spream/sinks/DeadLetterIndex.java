package dev.spream.sinks;

import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The index of a dead letter file, built from its lines: the open letters without their contents, and the parked keys.
 * Guarded by the lock of its owner.
 *
 * <p>Letters are ordered by identity, not by arrival: changes that are delivered again after a crash arrive after later
 * letters. No two transactions on one key commit at the same time, so for each key this is the order of commits.
 */
final class DeadLetterIndex {
    private final NavigableMap<RecordIdentity, Open> open = new TreeMap<>();
    private final Map<RecordKey, DeadLetterKeys> byKey = new HashMap<>();
    private final Set<RecordKey> parked = new HashSet<>();
    private int failed;

    final class Open {
        private final RecordIdentity identity;
        private final Reason reason;
        private final Set<RecordKey> keys;
        private final DeadLetterFile.Place place;

        private Open(StoredDeadLetter letter, DeadLetterFile.Place place) {
            this.identity = letter.change().identity();
            this.reason = letter.reason();
            this.keys = RecordKey.of(letter.change());
            this.place = place;
        }

        RecordIdentity identity() {
            return identity;
        }

        Set<RecordKey> keys() {
            return keys;
        }

        DeadLetterFile.Place place() {
            return place;
        }

        boolean isParked() {
            return reason != Reason.FAILED;
        }

        /**
         * Returns whether a later change of its keys was delivered. Changes of a parked key are not delivered past its
         * letters.
         */
        boolean isOvertaken() {
            return !isParked() && of(keys).anyMatch(letters -> letters.isPassed(identity));
        }

        /** Returns whether a letter that was not overtaken, other than those, has to be replayed before this one. */
        boolean hasEarlier(Set<RecordIdentity> apart) {
            return of(keys).anyMatch(letters ->
                    letters.hasParkedBefore(identity, apart) || letters.hasFailedBefore(identity, apart));
        }

        DeadLetterStore.Entry entry() {
            return new DeadLetterStore.Entry(identity, reason, keys, isOvertaken());
        }
    }

    void apply(DeadLetterLine line, DeadLetterFile.Place place) {
        switch (line) {
            case DeadLetterLine.Kept(StoredDeadLetter letter) -> keep(new Open(letter, place));
            case DeadLetterLine.Replayed replayed ->
                remove(replayed.identity()).ifPresent(letter -> pass(letter.keys, letter.identity));
            case DeadLetterLine.Discarded discarded -> remove(discarded.identity());
            case DeadLetterLine.Overtaken overtaken -> pass(overtaken.keys(), overtaken.by());
            case DeadLetterLine.Released released -> parked.removeAll(released.keys());
        }
    }

    private void keep(Open letter) {
        remove(letter.identity);
        open.put(letter.identity, letter);
        letter.keys.forEach(
                key -> byKey.computeIfAbsent(key, k -> new DeadLetterKeys()).add(letter));
        if (letter.isParked()) {
            parked.addAll(letter.keys);
        } else {
            failed++;
        }
    }

    private Optional<Open> remove(RecordIdentity identity) {
        Open letter = open.remove(identity);
        if (letter == null) {
            return Optional.empty();
        }
        letter.keys.forEach(key -> byKey.computeIfPresent(key, (k, letters) -> {
            letters.remove(identity);
            return letters.isEmpty() ? null : letters;
        }));
        failed -= letter.isParked() ? 0 : 1;
        return Optional.of(letter);
    }

    private void pass(Set<RecordKey> keys, RecordIdentity by) {
        of(keys).forEach(letters -> letters.pass(by));
    }

    /**
     * Returns whether storing the letter would change nothing. A letter whose change was delivered again and failed
     * again is stored again.
     */
    boolean holds(RecordIdentity identity, Reason reason) {
        Open letter = open.get(identity);
        return letter != null
                && (letter.isParked()
                        || (reason == Reason.FAILED
                                && of(letter.keys).noneMatch(letters -> letters.isPassedBy(identity))));
    }

    boolean isParked(Set<RecordKey> keys) {
        return !Collections.disjoint(parked, keys);
    }

    Set<RecordKey> parkedKeys() {
        return Set.copyOf(parked);
    }

    boolean isHeldBack(Set<RecordKey> keys) {
        return of(keys).anyMatch(DeadLetterKeys::isParking);
    }

    boolean isOvertaking(RecordIdentity change, Set<RecordKey> keys) {
        return of(keys).anyMatch(letters -> letters.hasFailedBefore(change, Set.of()));
    }

    boolean hasFailed() {
        return failed > 0;
    }

    Optional<Open> find(RecordIdentity identity) {
        return Optional.ofNullable(open.get(identity));
    }

    /** Returns the open letters in commit order. */
    Collection<Open> open() {
        return Collections.unmodifiableCollection(open.values());
    }

    List<DeadLetterStore.Entry> newest(int limit) {
        return open.descendingMap().values().stream()
                .limit(limit)
                .map(Open::entry)
                .toList();
    }

    DeadLetterStore.Counts counts() {
        long behind = open.values().stream()
                .filter(letter -> letter.reason == Reason.BEHIND_PARKED)
                .count();
        return new DeadLetterStore.Counts(
                failed,
                open.values().stream().filter(Open::isOvertaken).count(),
                open.size() - failed - behind,
                behind,
                parked.size());
    }

    private Stream<DeadLetterKeys> of(Set<RecordKey> keys) {
        return keys.stream().map(byKey::get).filter(Objects::nonNull);
    }
}

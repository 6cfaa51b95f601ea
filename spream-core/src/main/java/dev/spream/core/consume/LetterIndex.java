package dev.spream.core.consume;

import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the lines of a dead letter file amount to: the open letters without what they hold, and the parked keys. Confined to
 * whoever holds the lock of its owner.
 *
 * <p>Letters are ordered by their identity, and not by when they came: what is delivered again after a crash comes behind
 * letters that are later than it. Of one key no two transactions commit at the same time, so for each key this is the order
 * of commits.
 */
final class LetterIndex {
    private final NavigableMap<RecordIdentity, Open> open = new TreeMap<>();
    private final Map<RecordKey, NavigableMap<RecordIdentity, Open>> byKey = new HashMap<>();
    private final Set<RecordKey> parked = new HashSet<>();
    private int failed;

    /** An open letter. */
    static final class Open {
        private final RecordIdentity identity;
        private final Reason reason;
        private final Set<RecordKey> keys;
        private final LetterFile.Place place;
        private @Nullable RecordIdentity overtakenBy;

        private Open(RecordIdentity identity, Reason reason, Set<RecordKey> keys, LetterFile.Place place) {
            this.identity = identity;
            this.reason = reason;
            this.keys = keys;
            this.place = place;
        }

        LetterFile.Place place() {
            return place;
        }

        Set<RecordKey> keys() {
            return keys;
        }

        boolean isOvertaken() {
            return overtakenBy != null;
        }

        DeadLetterStore.Entry entry() {
            return new DeadLetterStore.Entry(identity, reason, keys, isOvertaken());
        }

        private boolean isParked() {
            return reason != Reason.FAILED;
        }
    }

    /** Takes the next line, which is at that place in the file. */
    void apply(LetterLine line, LetterFile.Place place) {
        switch (line) {
            case LetterLine.Kept(StoredLetter letter) -> keep(letter, place);
            case LetterLine.Replayed replayed -> replayed(replayed.identity());
            case LetterLine.Discarded discarded -> remove(discarded.identity());
            case LetterLine.Overtaken overtaken ->
                overtakable(overtaken.keys(), overtaken.by()).forEach(letter -> letter.overtakenBy = overtaken.by());
            case LetterLine.Released released -> parked.removeAll(released.keys());
        }
    }

    private void keep(StoredLetter letter, LetterFile.Place place) {
        RecordIdentity identity = letter.change().identity();
        remove(identity);
        Open added = new Open(identity, letter.reason(), RecordKey.of(letter.change()), place);
        earlier(added.keys, identity)
                .filter(earlier -> identity.equals(earlier.overtakenBy))
                .forEach(earlier -> earlier.overtakenBy = null); // it was delivered in vain
        open.put(identity, added);
        added.keys.forEach(
                key -> byKey.computeIfAbsent(key, k -> new TreeMap<>()).put(identity, added));
        if (added.isParked()) {
            parked.addAll(added.keys);
        } else {
            failed++;
        }
    }

    private void replayed(RecordIdentity identity) {
        Optional<Open> replayed = remove(identity);
        replayed.ifPresent(
                letter -> overtakable(letter.keys, identity).forEach(earlier -> earlier.overtakenBy = identity));
    }

    private Optional<Open> remove(RecordIdentity identity) {
        Open removed = open.remove(identity);
        if (removed == null) {
            return Optional.empty();
        }
        removed.keys.forEach(key -> byKey.computeIfPresent(key, (k, letters) -> {
            letters.remove(identity);
            return letters.isEmpty() ? null : letters;
        }));
        failed -= removed.isParked() ? 0 : 1;
        return Optional.of(removed);
    }

    /** Whether to keep the letter would add nothing. */
    boolean holds(RecordIdentity identity, Reason reason) {
        Open letter = open.get(identity);
        return letter != null && (letter.isParked() || reason == Reason.FAILED);
    }

    boolean isParked(Set<RecordKey> keys) {
        return !Collections.disjoint(parked, keys);
    }

    Set<RecordKey> parkedKeys() {
        return Set.copyOf(parked);
    }

    /** Whether an open letter parks one of the keys. */
    boolean isHeldBack(Set<RecordKey> keys) {
        return lettersOf(keys).flatMap(letters -> letters.values().stream()).anyMatch(Open::isParked);
    }

    boolean isOvertaking(RecordIdentity identity, Set<RecordKey> keys) {
        return overtakable(keys, identity).findAny().isPresent();
    }

    /** Whether a letter that was not overtaken has to be replayed before that one. */
    boolean hasEarlier(Open letter) {
        return earlier(letter.keys, letter.identity).anyMatch(earlier -> !earlier.isOvertaken());
    }

    boolean hasFailed() {
        return failed > 0;
    }

    Optional<Open> find(RecordIdentity identity) {
        return Optional.ofNullable(open.get(identity));
    }

    Collection<Open> open() {
        return Collections.unmodifiableCollection(open.values());
    }

    private Stream<Open> overtakable(Set<RecordKey> keys, RecordIdentity by) {
        return earlier(keys, by).filter(letter -> !letter.isParked() && !letter.isOvertaken());
    }

    /** A letter may come once for each of its keys. */
    private Stream<Open> earlier(Set<RecordKey> keys, RecordIdentity than) {
        return lettersOf(keys).flatMap(letters -> letters.headMap(than).values().stream());
    }

    private Stream<NavigableMap<RecordIdentity, Open>> lettersOf(Set<RecordKey> keys) {
        return keys.stream().map(byKey::get).filter(Objects::nonNull);
    }
}

package dev.spream.sinks;

import dev.spream.core.record.RecordIdentity;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The open letters of one key, and the changes of the key that overtook them. Confined like its index.
 *
 * <p>The cost of a call does not depend on the number of letters: a key whose changes all fail has many.
 */
final class DeadLetterKeys {
    private final NavigableMap<RecordIdentity, DeadLetterIndex.Open> failed = new TreeMap<>();
    private final NavigableSet<RecordIdentity> parked = new TreeSet<>();
    private final NavigableSet<RecordIdentity> passedBy = new TreeSet<>();

    void add(DeadLetterIndex.Open letter) {
        passedBy.remove(letter.identity()); // its delivery failed, so it overtook nothing
        if (letter.isParked()) {
            parked.add(letter.identity());
        } else {
            failed.put(letter.identity(), letter);
        }
    }

    void remove(RecordIdentity identity) {
        parked.remove(identity);
        failed.remove(identity);
        if (failed.isEmpty()) {
            passedBy.clear();
        }
    }

    boolean isEmpty() {
        return failed.isEmpty() && parked.isEmpty();
    }

    boolean isParking() {
        return !parked.isEmpty();
    }

    /** Records that a later change of the key was delivered, or replayed. */
    void pass(RecordIdentity by) {
        if (hasFailedBefore(by, Set.of())) {
            passedBy.add(by);
        }
    }

    boolean isPassed(RecordIdentity letter) {
        return passedBy.higher(letter) != null;
    }

    boolean isPassedBy(RecordIdentity change) {
        return passedBy.contains(change);
    }

    /** Returns whether a letter that failed and was not overtaken, other than those, is before that change. */
    boolean hasFailedBefore(RecordIdentity change, Set<RecordIdentity> apart) {
        NavigableMap<RecordIdentity, DeadLetterIndex.Open> unpassed =
                passedBy.isEmpty() ? failed : failed.tailMap(passedBy.last(), true);
        return unpassed.values().stream()
                .takeWhile(letter -> letter.identity().compareTo(change) < 0)
                .anyMatch(letter -> !letter.isOvertaken() && !apart.contains(letter.identity()));
    }

    boolean hasParkedBefore(RecordIdentity change, Set<RecordIdentity> apart) {
        return !apart.containsAll(parked.headSet(change, false));
    }
}

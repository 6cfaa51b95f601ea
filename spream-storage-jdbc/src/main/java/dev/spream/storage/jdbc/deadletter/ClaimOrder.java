package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Selects the letters that can be claimed together: every letter that must be replayed before one of them is included.
 */
final class ClaimOrder {
    private final Map<String, RecordIdentity> firstOutside;
    private final Set<String> heldUp = new HashSet<>();
    private final List<StoredDeadLetters.Listed> claimed = new ArrayList<>();

    /**
     * @param firstOutside by the hash of a key, the first letter that has to be replayed and is not among the letters
     *     to add
     */
    ClaimOrder(Map<String, RecordIdentity> firstOutside) {
        this.firstOutside = firstOutside;
    }

    /**
     * Adds a letter; letters are added in commit order. {@code isClaimable} covers the conditions that depend on the
     * letter alone.
     */
    void add(StoredDeadLetters.Listed letter, boolean isClaimable) {
        if (isClaimable && Collections.disjoint(heldUp, letter.keyHashes()) && !isBehindOutside(letter)) {
            claimed.add(letter);
        } else if (!letter.overtaken()) {
            heldUp.addAll(letter.keyHashes());
        }
    }

    private boolean isBehindOutside(StoredDeadLetters.Listed letter) {
        return letter.keyHashes().stream()
                .map(firstOutside::get)
                .anyMatch(first -> first != null && first.compareTo(letter.identity()) < 0);
    }

    List<StoredDeadLetters.Listed> claimed() {
        return claimed;
    }
}

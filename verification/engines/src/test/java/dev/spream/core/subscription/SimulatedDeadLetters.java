package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.RecordIdentity;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The dead letters of all processes. */
final class SimulatedDeadLetters {
    private final Map<RecordIdentity, DeadLetter> letters = new LinkedHashMap<>();
    private final Set<RecordKey> parked = new LinkedHashSet<>();

    void add(DeadLetter letter) {
        letters.put(letter.change().identity(), letter);
        if (letter.reason() != DeadLetter.Reason.FAILED) {
            parked.addAll(RecordKey.of(letter.change()));
        }
    }

    Set<RecordKey> parkedKeys() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(parked));
    }
}

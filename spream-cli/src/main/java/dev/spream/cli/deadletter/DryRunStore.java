package dev.spream.cli.deadletter;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A store that simulates a replay for {@code --dry-run}. Supports only the calls of a replay. Confined to one thread.
 */
final class DryRunStore implements DeadLetterStore {
    private final DeadLetterStore store;
    private final Set<RecordIdentity> replayed = new HashSet<>();
    private final Set<RecordKey> released = new HashSet<>();

    DryRunStore(DeadLetterStore store) {
        this.store = store;
    }

    @Override
    public List<Entry> openLetters() throws Exception {
        return store.openLetters().stream()
                .filter(letter -> !replayed.contains(letter.identity()))
                .toList();
    }

    @Override
    public List<StoredDeadLetter> read(Collection<RecordIdentity> identities) throws Exception {
        return store.read(identities);
    }

    @Override
    public Set<RecordKey> parkedKeys() throws Exception {
        return store.parkedKeys().stream()
                .filter(key -> !released.contains(key))
                .collect(Collectors.toSet());
    }

    /** Claims the letters; earlier letters of their keys are those listed before them. */
    @Override
    public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
        Set<RecordIdentity> asked = new HashSet<>(identities);
        Set<RecordKey> heldUp = new HashSet<>();
        List<RecordIdentity> claimed = new ArrayList<>();
        for (Entry letter : openLetters()) {
            boolean isClaimed = asked.contains(letter.identity())
                    && (evenIfOvertaken || !letter.overtaken())
                    && Collections.disjoint(heldUp, letter.keys());
            if (isClaimed) {
                claimed.add(letter.identity());
            } else if (!letter.overtaken()) {
                heldUp.addAll(letter.keys());
            }
        }
        return new DryClaim(store.read(claimed), identities.size(), replayed);
    }

    @Override
    public boolean release(Set<RecordKey> keys) throws Exception {
        boolean free = openLetters().stream()
                .filter(letter -> letter.reason() != DeadLetter.Reason.FAILED)
                .allMatch(letter -> Collections.disjoint(letter.keys(), keys));
        if (free) {
            released.addAll(keys);
        }
        return free;
    }

    @Override
    public void accept(DeadLetter letter) {
        throw notInReplay();
    }

    @Override
    public void delivering(DataChangeRecord change) {
        throw notInReplay();
    }

    @Override
    public boolean discard(RecordIdentity identity) {
        throw notInReplay();
    }

    private static UnsupportedOperationException notInReplay() {
        return new UnsupportedOperationException("a dry run supports only replay and release");
    }

    /** @param gone the letters that count as replayed */
    private record DryClaim(List<StoredDeadLetter> letters, int considered, Set<RecordIdentity> gone) implements Claim {
        @Override
        public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) {
            gone.addAll(taken);
            return Set.of(); // the replay releases free keys at its end
        }

        @Override
        public void close() {}
    }
}

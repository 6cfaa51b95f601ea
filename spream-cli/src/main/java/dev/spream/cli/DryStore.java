package dev.spream.cli;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A store as it would be if the replay that is tried on it took place: it takes part in nothing else. Confined to one thread.
 */
final class DryStore implements DeadLetterStore {
    private final DeadLetterStore store;
    private final Set<RecordIdentity> replayed = new HashSet<>();
    private final Set<RecordKey> released = new HashSet<>();

    DryStore(DeadLetterStore store) {
        this.store = store;
    }

    @Override
    public List<Entry> openLetters() throws Exception {
        return store.openLetters().stream()
                .filter(letter -> !replayed.contains(letter.identity()))
                .toList();
    }

    @Override
    public List<StoredLetter> read(Collection<RecordIdentity> identities) throws Exception {
        return store.read(identities);
    }

    @Override
    public Set<RecordKey> parkedKeys() throws Exception {
        return store.parkedKeys().stream()
                .filter(key -> !released.contains(key))
                .collect(Collectors.toSet());
    }

    /** Those before it on its keys are those that are listed before it. */
    @Override
    public Optional<Claim> claim(RecordIdentity identity, boolean evenIfOvertaken) throws Exception {
        List<Entry> open = openLetters();
        Optional<Entry> letter =
                open.stream().filter(entry -> entry.identity().equals(identity)).findFirst();
        boolean isNext = letter.filter(found -> evenIfOvertaken || !found.overtaken())
                .filter(found -> open.stream()
                        .takeWhile(earlier -> !earlier.equals(found))
                        .allMatch(earlier -> earlier.overtaken() || Collections.disjoint(earlier.keys(), found.keys())))
                .isPresent();
        return isNext ? store.read(List.of(identity)).stream().findFirst().map(DryClaim::new) : Optional.empty();
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
        return new UnsupportedOperationException("a dry run replays and releases, and does nothing else with letters");
    }

    private final class DryClaim implements Claim {
        private final StoredLetter letter;

        DryClaim(StoredLetter letter) {
            this.letter = letter;
        }

        @Override
        public StoredLetter letter() {
            return letter;
        }

        @Override
        public void replayed() {
            replayed.add(letter.change().identity());
        }

        @Override
        public void close() {}
    }
}

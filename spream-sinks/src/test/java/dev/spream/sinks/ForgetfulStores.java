package dev.spream.sinks;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Stores that break one promise each. */
final class ForgetfulStores {
    private ForgetfulStores() {}

    /** A store that keeps nothing. */
    static final class Noop implements DeadLetterStore {
        @Override
        public void accept(DeadLetter letter) {}

        @Override
        public Set<RecordKey> parkedKeys() {
            return Set.of();
        }

        @Override
        public List<Entry> openLetters() {
            return List.of();
        }

        @Override
        public List<StoredDeadLetter> read(Collection<RecordIdentity> identities) {
            return List.of();
        }

        @Override
        public void delivering(DataChangeRecord change) {}

        @Override
        public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) {
            return new Claim() {
                @Override
                public List<StoredDeadLetter> letters() {
                    return List.of();
                }

                @Override
                public int considered() {
                    return identities.size();
                }

                @Override
                public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) {
                    return Set.of();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public boolean discard(RecordIdentity identity) {
            return false;
        }

        @Override
        public boolean release(Set<RecordKey> keys) {
            return true;
        }
    }

    /** Does not keep what comes behind a parked change, and says that it did. */
    static final class ForgetsWhatIsBehind extends ForwardingStore {
        ForgetsWhatIsBehind(DeadLetterStore store) {
            super(store);
        }

        @Override
        public boolean acceptIfParked(DeadLetter letter) {
            return true;
        }
    }

    /** Keeps what comes behind a key without asking whether it is parked. */
    static final class NeverReleases extends ForwardingStore {
        NeverReleases(DeadLetterStore store) {
            super(store);
        }

        @Override
        public boolean acceptIfParked(DeadLetter letter) throws Exception {
            accept(letter);
            return true;
        }
    }

    /** Parks one key of a change of several. */
    static final class ParksOneKey extends ForwardingStore {
        ParksOneKey(DeadLetterStore store) {
            super(store);
        }

        @Override
        public Set<RecordKey> parkedKeys() throws Exception {
            return super.parkedKeys().stream().limit(1).collect(Collectors.toSet());
        }
    }

    /** Takes a key for the text it came as. */
    static final class ComparesText extends ForwardingStore {
        ComparesText(DeadLetterStore store) {
            super(store);
        }

        @Override
        public Set<RecordKey> parkedKeys() throws Exception {
            return super.parkedKeys().stream()
                    .map(key -> new RecordKey(
                            key.tableName(), JsonObject.of(key.canonicalKey().replace("A", "\\\\u0041"))))
                    .collect(Collectors.toSet());
        }
    }

    /** Does not hear of deliveries. */
    static final class ForgetsDeliveries extends ForwardingStore {
        ForgetsDeliveries(DeadLetterStore store) {
            super(store);
        }

        @Override
        public void delivering(DataChangeRecord change) {}
    }

    /** Hands out what was overtaken. */
    static final class ForgetsWhatWasOvertaken extends ForwardingStore {
        ForgetsWhatWasOvertaken(DeadLetterStore store) {
            super(store);
        }

        @Override
        public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
            return super.claim(identities, true);
        }
    }

    /** Says that a key is released whatever is behind it. */
    static final class ReleasesBlindly extends ForwardingStore {
        ReleasesBlindly(DeadLetterStore store) {
            super(store);
        }

        @Override
        public boolean release(Set<RecordKey> keys) throws Exception {
            super.release(keys);
            return true;
        }
    }

    /** Releases the keys that it can. */
    static final class ReleasesOneByOne extends ForwardingStore {
        ReleasesOneByOne(DeadLetterStore store) {
            super(store);
        }

        @Override
        public boolean release(Set<RecordKey> keys) throws Exception {
            boolean all = true;
            for (RecordKey key : keys) {
                all &= super.release(Set.of(key));
            }
            return all;
        }
    }

    /** Does not write down what was replayed. */
    static final class ForgetsReplays extends ForwardingStore {
        ForgetsReplays(DeadLetterStore store) {
            super(store);
        }

        @Override
        public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
            return new ForwardingClaim(super.claim(identities, evenIfOvertaken)) {
                @Override
                public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) {
                    return Set.of();
                }
            };
        }
    }

    /** Writes down all of a claim, whatever was taken. */
    static final class ResolvesWhatWasRefused extends ForwardingStore {
        ResolvesWhatWasRefused(DeadLetterStore store) {
            super(store);
        }

        @Override
        public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
            return new ForwardingClaim(super.claim(identities, evenIfOvertaken)) {
                @Override
                public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) throws Exception {
                    return super.replayed(
                            letters().stream()
                                    .map(letter -> letter.change().identity())
                                    .toList(),
                            releasing);
                }
            };
        }
    }

    /** Releases every key of what was replayed, whatever is behind it. */
    static final class ReleasesWithoutLooking extends ForwardingStore {
        ReleasesWithoutLooking(DeadLetterStore store) {
            super(store);
        }

        @Override
        public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
            return new ForwardingClaim(super.claim(identities, evenIfOvertaken)) {
                @Override
                public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) throws Exception {
                    super.replayed(taken, releasing);
                    return letters().stream()
                            .flatMap(letter -> RecordKey.of(letter.change()).stream())
                            .collect(Collectors.toSet());
                }
            };
        }
    }

    /** Does what another claim does, as far as nothing is overridden. */
    private static class ForwardingClaim implements DeadLetterStore.Claim {
        private final DeadLetterStore.Claim claim;

        ForwardingClaim(DeadLetterStore.Claim claim) {
            this.claim = claim;
        }

        @Override
        public List<StoredDeadLetter> letters() {
            return claim.letters();
        }

        @Override
        public int considered() {
            return claim.considered();
        }

        @Override
        public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) throws Exception {
            return claim.replayed(taken, releasing);
        }

        @Override
        public void close() {
            claim.close();
        }
    }

    /** Lists letters in the opposite order. */
    static final class ListsBackwards extends ForwardingStore {
        ListsBackwards(DeadLetterStore store) {
            super(store);
        }

        @Override
        public List<Entry> openLetters() throws Exception {
            return super.openLetters().reversed();
        }
    }
}

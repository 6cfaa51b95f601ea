package dev.spream.api.plugin;

import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A plug-in's dead letter store, called in its scope. */
@SuppressWarnings("try") // what close throws is for the target to say
final class ScopedDeadLetterStore extends ScopedDeadLetterSink implements DeadLetterStore {
    private final DeadLetterStore target;

    ScopedDeadLetterStore(DeadLetterStore target, CallScope scope) {
        super(target, scope);
        this.target = target;
    }

    @Override
    public List<Entry> openLetters() throws Exception {
        return scope.call(target::openLetters);
    }

    @Override
    public List<StoredLetter> read(Collection<RecordIdentity> identities) throws Exception {
        return scope.call(() -> target.read(identities));
    }

    @Override
    public void delivering(DataChangeRecord change) throws Exception {
        scope.run(() -> target.delivering(change));
    }

    @Override
    public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
        return new ScopedClaim(scope.call(() -> target.claim(identities, evenIfOvertaken)), scope);
    }

    @Override
    public Optional<Claim> claim(RecordIdentity identity, boolean evenIfOvertaken) throws Exception {
        return scope.call(() -> target.claim(identity, evenIfOvertaken)).map(claim -> new ScopedClaim(claim, scope));
    }

    @Override
    public boolean discard(RecordIdentity identity) throws Exception {
        return scope.call(() -> target.discard(identity));
    }

    @Override
    public boolean release(Set<RecordKey> keys) throws Exception {
        return scope.call(() -> target.release(keys));
    }

    /** A claim of a plug-in's store. */
    record ScopedClaim(Claim target, CallScope scope) implements Claim {
        @Override
        public List<StoredLetter> letters() {
            return scope.call(target::letters);
        }

        @Override
        public int considered() {
            return scope.call(target::considered);
        }

        @Override
        public StoredLetter letter() {
            return scope.call(target::letter);
        }

        @Override
        public Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) throws Exception {
            return scope.call(() -> target.replayed(taken, releasing));
        }

        @Override
        public void replayed() throws Exception {
            scope.run(() -> target.replayed());
        }

        @Override
        public void close() {
            scope.run(target::close);
        }
    }
}

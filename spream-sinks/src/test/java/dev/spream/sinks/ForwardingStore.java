package dev.spream.sinks;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Does what another store does, as far as nothing is overridden. */
class ForwardingStore implements DeadLetterStore {
    private final DeadLetterStore store;

    ForwardingStore(DeadLetterStore store) {
        this.store = store;
    }

    @Override
    public void accept(DeadLetter letter) throws Exception {
        store.accept(letter);
    }

    @Override
    public boolean acceptIfParked(DeadLetter letter) throws Exception {
        return store.acceptIfParked(letter);
    }

    @Override
    public Set<RecordKey> parkedKeys() throws Exception {
        return store.parkedKeys();
    }

    @Override
    public List<Entry> openLetters() throws Exception {
        return store.openLetters();
    }

    @Override
    public List<StoredDeadLetter> read(Collection<RecordIdentity> identities) throws Exception {
        return store.read(identities);
    }

    @Override
    public Set<RecordKey> parkedKeys(PartitionLease acquired) throws Exception {
        return store.parkedKeys(acquired);
    }

    @Override
    public void delivering(DataChangeRecord change) throws Exception {
        store.delivering(change);
    }

    @Override
    public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception {
        return store.claim(identities, evenIfOvertaken);
    }

    @Override
    public boolean discard(RecordIdentity identity) throws Exception {
        return store.discard(identity);
    }

    @Override
    public boolean release(Set<RecordKey> keys) throws Exception {
        return store.release(keys);
    }
}

package dev.spream.testkit.memory;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockStore;
import dev.spream.testkit.lock.LimitedLockStore;
import dev.spream.testkit.lock.LockScenario;
import dev.spream.testkit.lock.LockStoreFixture;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A fixture of the store in memory, or of a store that breaks the contract. */
public final class InMemoryLockFixture implements LockStoreFixture<Transaction> {
    private final UnaryOperator<LockStore<Transaction>> spoiler;
    private final boolean apart;
    private final List<LockStore<Transaction>> opened = new ArrayList<>();
    private @Nullable InMemoryLockStore first;

    public InMemoryLockFixture() {
        this(UnaryOperator.identity());
    }

    public InMemoryLockFixture(UnaryOperator<LockStore<Transaction>> spoiler) {
        this(spoiler, false);
    }

    /** Creates a fixture; if {@code apart}, its stores wrongly have separate locks. */
    public InMemoryLockFixture(boolean apart) {
        this(UnaryOperator.identity(), apart);
    }

    private InMemoryLockFixture(UnaryOperator<LockStore<Transaction>> spoiler, boolean apart) {
        this.spoiler = spoiler;
        this.apart = apart;
    }

    @Override
    public synchronized LockStore<Transaction> open(BucketSpace space, int handles) {
        InMemoryLockStore next = first == null || apart ? InMemoryLockStore.create(space) : first.sibling();
        first = first == null ? next : first;
        LockStore<Transaction> spoilt = spoiler.apply(new LimitedLockStore<>(next, handles));
        opened.add(spoilt);
        return spoilt;
    }

    private synchronized InMemoryLockStore memory() {
        if (first == null) {
            first = InMemoryLockStore.create(LockScenario.WIDE);
        }
        return first;
    }

    @Override
    public Transaction beginOwn() {
        return memory().begin();
    }

    @Override
    public void commitOwn(Transaction transaction) {
        memory().commit(transaction);
    }

    @Override
    public void endOwn(Transaction transaction) {
        memory().end(transaction);
    }

    @Override
    public Set<String> blockersOf(String session) {
        return memory().blockersOf(session);
    }

    @Override
    public void kill(String session) {
        memory().kill(session);
    }

    @Override
    public synchronized void close() {
        opened.forEach(LockStore::close);
    }
}

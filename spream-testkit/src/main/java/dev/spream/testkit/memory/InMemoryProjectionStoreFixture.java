package dev.spream.testkit.memory;

import dev.spream.projection.AuditedAction;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A database in memory whose clock a test moves, and whose stores and operations may be replaced by broken ones. */
public final class InMemoryProjectionStoreFixture implements ProjectionStoreFixture<Transaction> {
    private static final String TABLE = "balances";

    private volatile Instant time = Instant.parse("2026-03-01T10:00:00.123456Z");
    private final InMemoryProjectionStore memory = new InMemoryProjectionStore(() -> time);
    private final ProjectionStore<Transaction> store;
    private final ProjectionStore<Transaction> anotherStore;
    private final ProjectionOperations operations;

    public InMemoryProjectionStoreFixture() {
        this(new Spoiler() {});
    }

    public InMemoryProjectionStoreFixture(Spoiler spoiler) {
        store = spoiler.store(memory, memory);
        anotherStore = spoiler.store(memory, memory.store());
        operations = spoiler.operations(memory, memory.operations());
    }

    /** Wraps parts of a database into ones that violate the contract. */
    interface Spoiler {
        default ProjectionStore<Transaction> store(
                InMemoryProjectionStore memory, ProjectionStore<Transaction> target) {
            return target;
        }

        default ProjectionOperations operations(InMemoryProjectionStore memory, ProjectionOperations target) {
            return target;
        }
    }

    @Override
    public ProjectionStore<Transaction> store() {
        return store;
    }

    @Override
    public ProjectionStore<Transaction> anotherStore() {
        return anotherStore;
    }

    @Override
    public ProjectionOperations operations() {
        return operations;
    }

    @Override
    public void write(Transaction transaction, String row, long value) {
        transaction.table(TABLE).put(row, value);
    }

    @Override
    public long read(Transaction transaction, String row) {
        return transaction.<Long>table(TABLE).get(row).orElse(0L);
    }

    @Override
    public Set<String> tables() {
        return Set.of(TABLE);
    }

    @Override
    public void create(Transaction transaction) {
        // a table exists once it is written to
    }

    @Override
    public Map<String, Long> rows() {
        return memory.table(TABLE);
    }

    @Override
    public synchronized void passTime(Duration by) {
        time = time.plus(by);
    }

    @Override
    public List<Act> audit(String projection) {
        return memory.memory()
                .locked(() -> memory.memory().audit(projection).stream()
                        .map(AuditedAction::act)
                        .toList());
    }

    @Override
    public List<String> deadLetters(String projection) {
        return memory.memory()
                .locked(() -> memory.memory().require(projection).deadLetters.stream()
                        .map(letter -> switch (letter) {
                            case ProjectionDeadLetter.Skipped skipped ->
                                skipped.event().eventId();
                            case ProjectionDeadLetter.Undecodable undecodable ->
                                undecodable.item().origin();
                        })
                        .toList());
    }

    @Override
    public void close() {
        store.close();
        anotherStore.close();
        operations.close();
    }
}

package dev.spream.projection.runner;

import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.memory.InMemoryProjectionStore.Table;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.util.Set;

/**
 * Extends balances to a projection that can be rebuilt and records each event once, in a table that all its versions
 * share.
 */
public interface RebuiltAccounts extends RebuildableProjection<Transaction>, SideEffectingProjection<Transaction> {
    String FOLLOWED = "followed";

    @Override
    default Set<String> tables() {
        return Set.of(name());
    }

    @Override
    default void create(Transaction transaction) {
        // a table is there when something is written to it
    }

    @Override
    default void follow(Transaction transaction, EventEnvelope event) throws Exception {
        Table<Accounts.Balance> followed = transaction.table(FOLLOWED);
        String key = event.aggregateId();
        followed.put(key, followed.lock(key).orElse(Accounts.Balance.NONE).plus(event));
    }

    /** Balances of a revision. */
    static Balances of(String name, int revision, boolean folded) {
        return folded ? new Folded(name, revision) : new Plain(name, revision);
    }

    /** Applies one event after the other. */
    final class Plain extends Balances implements RebuiltAccounts {
        private final int revision;

        Plain(String name, int revision) {
            super(name);
            this.revision = revision;
        }

        @Override
        public int revision() {
            return revision;
        }
    }

    /** Folds what it writes. */
    final class Folded extends Balances.Folded implements RebuiltAccounts {
        private final int revision;

        Folded(String name, int revision) {
            super(name);
            this.revision = revision;
        }

        @Override
        public int revision() {
            return revision;
        }
    }
}

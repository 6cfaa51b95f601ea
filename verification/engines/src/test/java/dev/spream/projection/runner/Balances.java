package dev.spream.projection.runner;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.Projection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.memory.InMemoryProjectionStore.Table;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keeps the balances of accounts, and fails as a test wants it to. */
public class Balances implements Projection<Transaction> {

    /** A hook that runs before an event is applied. */
    public interface Hook {
        void before(EventEnvelope event) throws Exception;
    }

    private final String name;
    private volatile Hook hook = event -> {};

    public Balances(String name) {
        this.name = name;
    }

    public Balances failing(Hook failure) {
        hook = failure;
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void apply(Transaction transaction, EventEnvelope event) throws Exception {
        hook.before(event);
        Table<Accounts.Balance> table = transaction.table(name);
        table.put(
                event.aggregateId(),
                table.lock(event.aggregateId()).orElse(Accounts.Balance.NONE).plus(event));
    }

    public Hook hook() {
        return hook;
    }

    /** The same, folded: what fails does so when it is written. */
    public static class Folded extends Balances implements FoldableProjection<Transaction, Folded.Change> {
        public record Change(List<EventEnvelope> events) {}

        public Folded(String name) {
            super(name);
        }

        @Override
        public Change fold(@Nullable Change folded, EventEnvelope event) {
            List<EventEnvelope> events = new ArrayList<>(folded == null ? List.of() : folded.events());
            events.add(event);
            return new Change(events);
        }

        @Override
        public void write(Transaction transaction, Map<String, Change> folded) throws Exception {
            Table<Accounts.Balance> table = transaction.table(name());
            for (Map.Entry<String, Change> account : folded.entrySet()) {
                Accounts.Balance balance = table.lock(account.getKey()).orElse(Accounts.Balance.NONE);
                for (EventEnvelope event : account.getValue().events()) {
                    hook().before(event);
                    balance = balance.plus(event);
                }
                table.put(account.getKey(), balance);
            }
        }

        @Override
        public void apply(Transaction transaction, EventEnvelope event) throws Exception {
            write(transaction, Map.of(event.aggregateId(), fold(null, event)));
        }
    }
}

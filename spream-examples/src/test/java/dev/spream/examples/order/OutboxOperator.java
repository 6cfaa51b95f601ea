package dev.spream.examples.order;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import dev.spream.storage.jdbc.outbox.JdbcOutboxOperations;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The operator of entries that are parked with an unknown outcome: looks into the broker's book, settles executed
 * orders, and requeues the others.
 */
final class OutboxOperator implements AutoCloseable {
    private static final OutboxFilter PARKED =
            new OutboxFilter(Set.of(), true, "", Optional.empty(), Optional.empty(), 0, OutboxFilter.MAX_LIMIT);
    private static final OperatorAction ACT = new OperatorAction("on-call", "looked into the book of the broker");

    private final OutboxOperations operations;
    private final BrokerJournal book;
    private int decided;

    OutboxOperator(DataSource database, BrokerJournal book) {
        operations = JdbcOutboxOperations.create(database);
        this.book = book;
    }

    /** Decides what is parked now. */
    void decide() {
        List<OutboxRow> parked = operations.list(PARKED);
        if (parked.isEmpty()) {
            return;
        }
        Set<String> carriedOut = book.lines().stream()
                .filter(line -> line.effects() > 0)
                .map(BrokerJournal.Line::key)
                .collect(Collectors.toSet());
        for (OutboxRow row : parked) {
            if (carriedOut.contains(row.idempotencyKey())) {
                operations.settle(row.id(), LedgerResult.succeeded("{}"), ACT);
            } else {
                operations.requeue(row.id(), ACT);
            }
            decided++;
        }
    }

    int decided() {
        return decided;
    }

    @Override
    public void close() {
        operations.close();
    }
}

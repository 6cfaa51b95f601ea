package dev.spream.benchmarks.projection;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Balances that can be rebuilt, with an upsert for each batch. */
record RebuiltBalances(Folded folded)
        implements FoldableProjection<Connection, Folded.Change>, RebuildableProjection<Connection> {
    static final String NAME = "balances";

    RebuiltBalances() {
        this(new Folded(NAME));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> tables() {
        return Set.of(NAME);
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(Balances.table(NAME));
        }
    }

    @Override
    public Folded.Change fold(Folded.@Nullable Change before, EventEnvelope event) {
        return folded.fold(before, event);
    }

    @Override
    public void write(Connection transaction, Map<String, Folded.Change> changes) throws SQLException {
        folded.write(transaction, changes);
    }
}

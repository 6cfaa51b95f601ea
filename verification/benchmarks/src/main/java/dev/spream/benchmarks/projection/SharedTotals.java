package dev.spream.benchmarks.projection;

import dev.spream.projection.FoldableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Totals of customers, each of which has many accounts, in all segments. */
record SharedTotals(Folded folded, int customers) implements FoldableProjection<Connection, Folded.Change> {
    @Override
    public String name() {
        return folded.name();
    }

    @Override
    public String key(EventEnvelope event) {
        return "c-" + Math.floorMod(event.aggregateId().hashCode(), customers);
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

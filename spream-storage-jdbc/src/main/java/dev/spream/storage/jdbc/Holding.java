package dev.spream.storage.jdbc;

import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The fence of a write: two leases are the same if these are, wherever their partitions stood when they were acquired.
 */
record Holding(PartitionToken token, WorkerId owner, long epoch) {

    static Holding of(PartitionLease lease) {
        return new Holding(lease.token(), lease.owner(), lease.epoch());
    }

    static List<Holding> of(Collection<PartitionLease> leases) {
        return leases.stream().map(Holding::of).distinct().toList();
    }

    static Holding read(ResultSet row) throws SQLException {
        return new Holding(PartitionRow.token(row), new WorkerId(row.getString("owner")), row.getLong("epoch"));
    }

    /** Binds three arrays: tokens, owners, epochs. */
    static Parameters bind(Parameters parameters, Collection<Holding> holdings) throws SQLException {
        return parameters
                .texts(holdings, held -> held.token().value())
                .texts(holdings, held -> held.owner().value())
                .numbers(holdings, Holding::epoch);
    }

    /** The tokens of those that are not among the ones that the server found. */
    static Set<PartitionToken> lost(Collection<Holding> asked, Collection<Holding> found) {
        Set<Holding> held = new HashSet<>(found);
        Set<PartitionToken> lost = new LinkedHashSet<>();
        for (Holding holding : asked) {
            if (!held.contains(holding)) {
                lost.add(holding.token());
            }
        }
        return lost;
    }
}

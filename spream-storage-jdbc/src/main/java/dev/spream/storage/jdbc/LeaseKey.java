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
 * The identity of a lease, by which a write is fenced: token, owner and epoch, without the watermark at which it was
 * acquired.
 */
record LeaseKey(PartitionToken token, WorkerId owner, long epoch) {

    static LeaseKey of(PartitionLease lease) {
        return new LeaseKey(lease.token(), lease.owner(), lease.epoch());
    }

    static List<LeaseKey> of(Collection<PartitionLease> leases) {
        return leases.stream().map(LeaseKey::of).distinct().toList();
    }

    static LeaseKey read(ResultSet row) throws SQLException {
        return new LeaseKey(PartitionRow.token(row), new WorkerId(row.getString("owner")), row.getLong("epoch"));
    }

    /** Binds three arrays: tokens, owners, epochs. */
    static Parameters bind(Parameters parameters, Collection<LeaseKey> holdings) throws SQLException {
        return parameters
                .texts(holdings, held -> held.token().value())
                .texts(holdings, held -> held.owner().value())
                .numbers(holdings, LeaseKey::epoch);
    }

    /** Returns the tokens of the requested leases that the server did not find. */
    static Set<PartitionToken> lost(Collection<LeaseKey> asked, Collection<LeaseKey> found) {
        Set<LeaseKey> held = new HashSet<>(found);
        Set<PartitionToken> lost = new LinkedHashSet<>();
        for (LeaseKey holding : asked) {
            if (!held.contains(holding)) {
                lost.add(holding.token());
            }
        }
        return lost;
    }
}

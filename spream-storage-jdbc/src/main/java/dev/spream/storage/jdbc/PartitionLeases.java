package dev.spream.storage.jdbc;

import static java.util.stream.Collectors.toMap;

import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leases of partitions. A batch locks its rows in the order of their keys before it changes any, so that batches of
 * several workers wait for each other, but cannot deadlock; its conditions are evaluated on the locked row. It does not
 * wait for rows that another session has locked ({@link UnlockedRows}). The lateral subquery with a limit makes the
 * planner look rows up one by one, by key and in that order, whatever its statistics are.
 *
 * <p>Time is {@code clock_timestamp()}, not {@code now()}: a lease begins when the statement got the row, not when it
 * started to wait.
 */
record PartitionLeases(Database database, String subscription) {
    static final String ACQUIRE = """
            WITH claim AS MATERIALIZED (
                SELECT %s AS token_hash, c.* FROM unnest(?::text[], ?::bigint[]) AS c(token, epoch)
                ORDER BY token_hash
            ), free AS MATERIALIZED (
                SELECT locked.token_hash FROM claim CROSS JOIN LATERAL (
                    SELECT p.token_hash FROM @partitions p
                    WHERE p.token_hash = claim.token_hash AND p.subscription = ?
                        AND p.token = claim.token AND p.epoch = claim.epoch AND p.state <> 'FINISHED'
                        AND (p.owner IS NULL OR p.lease_until IS NULL OR p.lease_until <= clock_timestamp())
                    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS locked
            )
            UPDATE @partitions p SET
                epoch = p.epoch + 1,
                owner = ?,
                lease_until = clock_timestamp() + ? * interval '1 microsecond',
                state = CASE p.state WHEN 'CREATED' THEN 'SCHEDULED' ELSE p.state END,
                scheduled_at = coalesce(p.scheduled_at, clock_timestamp()),
                changed_in = pg_current_xact_id()
            FROM free WHERE p.token_hash = free.token_hash AND p.subscription = ?
            RETURNING p.token, p.owner, p.epoch, p.watermark, p.move_out_sequence, p.move_out_destinations""".formatted(PartitionRow.hashOf("c.token"));

    private static final String TO_RUNNING = """
            UPDATE @partitions SET
                state = 'RUNNING', running_at = coalesce(running_at, clock_timestamp()), changed_in = pg_current_xact_id()
            WHERE subscription = ? AND token_hash = %s AND token = ? AND owner = ? AND epoch = ?
                AND state IN ('SCHEDULED', 'RUNNING')""".formatted(PartitionRow.hashOf("?"));

    /** The rows that these leases hold, locked; a common table expression to continue. */
    private static final String HELD = """
            WITH lease AS MATERIALIZED (
                SELECT %s AS token_hash, l.* FROM unnest(?::text[], ?::text[], ?::bigint[]) AS l(token, owner, epoch)
                ORDER BY token_hash
            ), held AS MATERIALIZED (
                SELECT locked.* FROM lease CROSS JOIN LATERAL (
                    SELECT p.token_hash, p.token, p.owner, p.epoch FROM @partitions p
                    WHERE p.token_hash = lease.token_hash AND p.subscription = ?
                        AND p.token = lease.token AND p.owner = lease.owner AND p.epoch = lease.epoch
                        AND p.state <> 'FINISHED'
                    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS locked
            )
            """.formatted(PartitionRow.hashOf("l.token"));

    static final String RENEW = HELD + """
            UPDATE @partitions p SET lease_until = clock_timestamp() + ? * interval '1 microsecond'
            FROM held WHERE p.token_hash = held.token_hash AND p.subscription = ?
            RETURNING p.token, p.owner, p.epoch""";

    private static final String RELEASE = HELD + """
            UPDATE @partitions p SET owner = NULL, lease_until = NULL, changed_in = pg_current_xact_id()
            FROM held WHERE p.token_hash = held.token_hash AND p.subscription = ?
            RETURNING held.token, held.owner, held.epoch""";

    private static final String RELEASE_EXPIRED = HELD + """
            UPDATE @partitions p SET owner = NULL, lease_until = NULL, changed_in = pg_current_xact_id()
            FROM held WHERE p.token_hash = held.token_hash AND p.subscription = ? AND p.lease_until <= clock_timestamp()""";

    List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        if (claims.isEmpty()) {
            return List.of();
        }
        Map<PartitionToken, PartitionLease> acquired = database
                .rows(
                        "acquiring %d partitions of subscription '%s'".formatted(claims.size(), subscription),
                        ACQUIRE,
                        p -> p.texts(claims, claim -> claim.token().value())
                                .numbers(claims, PartitionClaim::epoch)
                                .text(subscription)
                                .text(worker.value())
                                .number(JdbcTimestamps.micros(leaseTime))
                                .text(subscription),
                        PartitionLeases::lease)
                .stream()
                .collect(toMap(PartitionLease::token, lease -> lease));
        List<PartitionLease> inOrder = new ArrayList<>(acquired.size());
        for (PartitionClaim claim : claims) {
            PartitionLease lease = acquired.remove(claim.token());
            if (lease != null) {
                inOrder.add(lease);
            }
        }
        return inOrder;
    }

    boolean markRunning(PartitionLease lease) {
        String token = lease.token().value();
        return database.update(
                        "taking partition %s of subscription '%s' to RUNNING"
                                .formatted(lease.token().abbreviated(), subscription),
                        TO_RUNNING,
                        p -> p.text(subscription)
                                .text(token)
                                .text(token)
                                .text(lease.owner().value())
                                .number(lease.epoch()))
                == 1;
    }

    Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
        if (leases.isEmpty()) {
            return Set.of();
        }
        String what = "renewing %d %s of subscription '%s'"
                .formatted(leases.size(), leases.size() == 1 ? "lease" : "leases", subscription);
        return new UnlockedRows(database, subscription)
                .each(
                        what,
                        LeaseKey.of(leases),
                        UnlockedRows.UNFINISHED,
                        shorter(
                                UnlockedRows.TIMEOUT,
                                leaseTime.dividedBy(8)), // rows that stay locked longer count as renewed
                        asked -> database.rows(
                                what,
                                RENEW,
                                p -> LeaseKey.bind(p, asked)
                                        .text(subscription)
                                        .number(JdbcTimestamps.micros(leaseTime))
                                        .text(subscription),
                                LeaseKey::read));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    void release(Collection<PartitionLease> leases) {
        if (leases.isEmpty()) {
            return;
        }
        String what = "releasing %d leases of subscription '%s'".formatted(leases.size(), subscription);
        new UnlockedRows(database, subscription)
                .each(
                        what,
                        LeaseKey.of(leases),
                        UnlockedRows.UNFINISHED,
                        UnlockedRows.TIMEOUT,
                        asked -> database.rows(
                                what,
                                RELEASE,
                                p -> LeaseKey.bind(p, asked).text(subscription).text(subscription),
                                LeaseKey::read));
    }

    void releaseExpired(Collection<PartitionLease> leases) {
        database.update(
                "releasing %d expired leases of subscription '%s'".formatted(leases.size(), subscription),
                RELEASE_EXPIRED,
                p -> LeaseKey.bind(p, LeaseKey.of(leases)).text(subscription).text(subscription));
    }

    private static PartitionLease lease(ResultSet row) throws SQLException {
        return new PartitionLease(
                PartitionRow.token(row),
                new WorkerId(row.getString("owner")),
                row.getLong("epoch"),
                PartitionRow.instant(row, "watermark"),
                PartitionRow.moveOuts(row));
    }
}

package dev.spream.storage.jdbc;

import static java.util.stream.Collectors.toSet;

import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.jdbc.internal.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Batches of writes under leases that skip rows which another session has locked, so that one locked row does not delay
 * the others. Skipped rows are retried for half a second, because most locks last for one statement.
 */
record UnlockedRows(Database database, String subscription) {
    static final List<String> RUNNING = List.of("RUNNING");
    static final List<String> UNFINISHED = List.of("CREATED", "SCHEDULED", "RUNNING");

    static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    /** Selects the leases that are stored, locked or not. */
    private static final String STORED = """
            SELECT p.token, p.owner, p.epoch
            FROM (SELECT %s AS token_hash, l.* FROM unnest(?::text[], ?::text[], ?::bigint[]) AS l(token, owner, epoch)) AS lease
            JOIN @partitions p ON p.token_hash = lease.token_hash AND p.subscription = ?
                AND p.token = lease.token AND p.owner = lease.owner AND p.epoch = lease.epoch
            WHERE p.state = ANY (?)""".formatted(PartitionRow.hashOf("l.token"));

    /**
     * Writes the rows and returns the partitions whose lease was lost.
     *
     * @param states the states of the partitions that the write applies to
     * @param timeout how long to retry rows that are locked
     * @param write writes the rows that are held and not locked, and returns them
     * @throws BusyPartitionsException if rows that are held stayed locked
     */
    Set<PartitionToken> each(
            String what,
            List<LeaseKey> asked,
            List<String> states,
            Duration timeout,
            Function<List<LeaseKey>, List<LeaseKey>> write) {
        List<LeaseKey> left = new ArrayList<>(asked);
        long startedAt = System.nanoTime();
        left.removeAll(Set.copyOf(write.apply(left)));
        if (left.isEmpty()) {
            return Set.of();
        }
        List<LeaseKey> stored = stored(what, left, states);
        Set<PartitionToken> lost = new LinkedHashSet<>(LeaseKey.lost(left, stored));
        while (!stored.isEmpty() && System.nanoTime() - startedAt < timeout.toNanos()) {
            LockSupport.parkNanos(PAUSE);
            left.clear();
            left.addAll(stored);
            left.removeAll(Set.copyOf(write.apply(left)));
            stored = stored(what, left, states);
            lost.addAll(LeaseKey.lost(left, stored));
        }
        if (!stored.isEmpty()) {
            Set<PartitionToken> busy = stored.stream().map(LeaseKey::token).collect(toSet());
            throw new BusyPartitionsException(
                    "%s: another session has locked the rows of %d partitions, such as %s; the others are written, and these are retried"
                            .formatted(what, busy.size(), busy.iterator().next().abbreviated()),
                    busy,
                    lost);
        }
        return lost;
    }

    private List<LeaseKey> stored(String what, List<LeaseKey> left, List<String> states) {
        return left.isEmpty()
                ? List.of()
                : database.rows(
                        what,
                        STORED,
                        p -> LeaseKey.bind(p, left).text(subscription).texts(states),
                        LeaseKey::read);
    }
}

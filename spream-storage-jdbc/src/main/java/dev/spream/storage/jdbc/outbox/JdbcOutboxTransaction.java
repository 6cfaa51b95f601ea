package dev.spream.storage.jdbc.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages of one transaction on a connection of the caller. Used by one thread at a time. */
final class JdbcOutboxTransaction implements OutboxTransaction {
    private static final Logger log = LoggerFactory.getLogger(JdbcOutboxTransaction.class);

    /** The pauses before the tries to release claims. */
    private static final List<Duration> RELEASES = List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5));

    private final JdbcOutbox outbox;
    private final OutboxSql sql;
    private final OutboxTables tables;
    private final Connection connection;
    private final List<Claimed> claimed = new ArrayList<>();
    private Optional<String> transaction = Optional.empty();
    private boolean hasUnclaimed;
    private boolean partlyRolledBack;
    private boolean ended;

    /** The claims of entries as one call has enqueued them, with the room that is held for them. */
    private record Claimed(ClaimRoom room, List<OutboxClaim> claims) {}

    JdbcOutboxTransaction(JdbcOutbox outbox, OutboxSql sql, Connection connection) {
        this.outbox = outbox;
        this.sql = sql;
        this.tables = sql.database().tables();
        this.connection = connection;
    }

    @Override
    public List<EnqueueResult> enqueueAll(List<OutboxMessage> messages) {
        requireOpen();
        requireVisible();
        LocalWatchers.Reserved reserved =
                reserve(messages.stream().filter(EnqueueCall::isClaimable).toList());
        EnqueueCall.Enqueued enqueued;
        try {
            enqueued = outbox.enqueueAll(connection, messages, reserved);
        } catch (Throwable t) {
            if (reserved != null) {
                reserved.room().close();
            }
            throw t;
        }
        if (reserved != null) {
            keep(reserved.room(), enqueued.claims());
        }
        requireSame(enqueued.transaction());
        hasUnclaimed |= enqueued.entries() > enqueued.claims().size();
        return enqueued.results();
    }

    /** Reserves room for the entries of one destination, that of the first; null if there is none. */
    private LocalWatchers.@Nullable Reserved reserve(List<OutboxMessage> claimable) {
        if (claimable.isEmpty()) {
            return null;
        }
        String destination = claimable.getFirst().destination();
        int entries = Math.toIntExact(claimable.stream()
                .filter(message -> message.destination().equals(destination))
                .count());
        return LocalWatchers.OF_THIS_PROCESS.reserve(tables, destination, entries);
    }

    private void keep(ClaimRoom room, List<OutboxClaim> claims) {
        if (claims.isEmpty()) {
            room.close();
            return;
        }
        room.hold(claims);
        claimed.add(new Claimed(room, claims));
    }

    /** Refuses entries of another transaction: the earlier ones may have been rolled back, and must not be sent. */
    private void requireSame(Optional<String> now) {
        if (now.isPresent() && !transaction.isEmpty() && !transaction.equals(now)) {
            throw anotherTransaction();
        }
        transaction = transaction.or(() -> now);
    }

    /** Does the same before the next call where transactions have no identity: looks for an earlier entry. */
    private void requireVisible() {
        if (claimed.isEmpty() || transaction.isPresent()) {
            return;
        }
        String what = "enqueueing in " + tables;
        long first = claimed.getFirst().claims().getFirst().entry().id();
        try {
            if (visible(List.of(first), what).entries() == 0) {
                throw anotherTransaction();
            }
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    private StorageException anotherTransaction() {
        close();
        return SqlErrors.permanent(
                "enqueueing in %s failed: the connection is in another transaction than before; roll it back, and begin"
                                .formatted(tables)
                        + " again for each transaction");
    }

    @Override
    public void requireCommittable() {
        requireOpen();
        List<Long> ids = claimed.stream()
                .flatMap(each -> each.claims().stream())
                .map(claim -> claim.entry().id())
                .toList();
        String what = "committing messages in " + tables;
        try {
            if (!TransactionMessages.isFailed(connection) && (ids.isEmpty() || sees(ids, what))) {
                return;
            }
        } catch (SQLException e) {
            close();
            throw SqlErrors.storageException(what, e);
        }
        close();
        throw SqlErrors.permanent(
                what + " failed: the transaction in which they were enqueued was rolled back, by an error"
                        + " that the program ignored or by the statement ROLLBACK; nothing of it was committed or is sent."
                        + " Rethrow errors, or set a savepoint before the statement");
    }

    /**
     * Returns whether the transaction has not been rolled back, or to a savepoint alone. Without an identity of transactions,
     * one of which no entry is left counts as rolled back.
     */
    private boolean sees(List<Long> ids, String what) throws SQLException {
        OutboxSql.VisibleEntries seen = visible(ids, what);
        partlyRolledBack = seen.entries() < ids.size();
        return !partlyRolledBack
                || (transaction.isPresent() ? transaction.equals(seen.transaction()) : seen.entries() > 0);
    }

    private OutboxSql.VisibleEntries visible(List<Long> ids, String what) throws SQLException {
        return sql.visible(sql.database().ofCaller(connection, what), ids);
    }

    @Override
    public void committed() {
        requireOpen();
        if (partlyRolledBack) {
            close();
            outbox.signal();
            return;
        }
        ended = true;
        claimed.forEach(each -> {
            if (!each.room().start()) {
                release(each);
            }
        });
        if (hasUnclaimed) {
            outbox.signal();
        }
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the messages of this transaction of " + tables
                    + " were reported as committed or closed; begin again for more");
        }
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            claimed.forEach(each -> {
                each.room().close();
                release(each);
            });
        }
    }

    /**
     * Releases claims in the background, and notifies workers. Entries that are not found are looked for again, since a
     * commit may still be in progress; those that were rolled back never are.
     */
    private void release(Claimed entries) {
        List<Settlement> releases = entries.claims().stream()
                .<Settlement>map(claim -> new Settlement.Released(claim.ref()))
                .toList();
        Thread.ofVirtual().name("spream-outbox-release-" + tables).start(() -> {
            for (Duration pause : RELEASES) {
                LockSupport.parkNanos(pause.toNanos());
                if (releaseNow(entries.room().owner(), releases)) {
                    outbox.signal();
                    return;
                }
            }
        });
    }

    /** Returns whether the entries were found, or no later try would succeed either. */
    private boolean releaseNow(OutboxOwner owner, List<Settlement> releases) {
        try {
            return sql.settle(owner, releases).isEmpty();
        } catch (StorageException e) {
            log.info(
                    "[{}] {} claims were not released{}; the entries wait until their leases expire: {}",
                    tables,
                    releases.size(),
                    e.retryable() ? ", unless another try succeeds" : "",
                    LoggedFailure.message(e));
            return !e.retryable();
        }
    }
}

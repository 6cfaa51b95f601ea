package dev.spream.storage.jdbc.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.Settlement;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages of one transaction on a connection of the caller. Used by one thread at a time. */
final class JdbcOutboxTransaction implements OutboxTransaction {
    private static final Logger log = LoggerFactory.getLogger(JdbcOutboxTransaction.class);

    private final JdbcOutbox outbox;
    private final OutboxDatabase database;
    private final Connection connection;
    private final List<Claimed> claimed = new ArrayList<>();
    private boolean hasUnclaimed;
    private boolean ended;

    /** The claims of entries as one call has enqueued them, with the room that is held for them. */
    private record Claimed(ClaimRoom room, List<OutboxClaim> claims) {}

    JdbcOutboxTransaction(JdbcOutbox outbox, OutboxDatabase database, Connection connection) {
        this.outbox = outbox;
        this.database = database;
        this.connection = connection;
    }

    @Override
    public EnqueueResult enqueue(OutboxMessage message) {
        return enqueueAll(List.of(message)).getFirst();
    }

    @Override
    public List<EnqueueResult> enqueueAll(List<OutboxMessage> messages) {
        requireOpen();
        int claimable = Math.toIntExact(
                messages.stream().filter(EnqueueStatement::isClaimable).count());
        LocalWatchers.Reserved reserved =
                claimable == 0 ? null : LocalWatchers.OF_THIS_PROCESS.reserve(database.tables(), claimable);
        EnqueueStatement.Enqueued enqueued;
        try {
            enqueued = outbox.enqueueAll(connection, messages, reserved);
        } catch (Throwable t) {
            if (reserved != null) {
                reserved.room().close();
            }
            throw t;
        }
        if (reserved != null) {
            reserved.room().hold(enqueued.claims());
            claimed.add(new Claimed(reserved.room(), enqueued.claims()));
        }
        hasUnclaimed |= enqueued.entries() > enqueued.claims().size();
        return enqueued.results();
    }

    @Override
    public void committed() {
        requireOpen();
        ended = true;
        claimed.forEach(each -> {
            if (!each.room().start()) {
                release(each);
                hasUnclaimed = true;
            }
        });
        if (hasUnclaimed) {
            outbox.signal();
        }
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the messages of this transaction of " + database.tables()
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

    /** Releases claims in the background. Has no effect on entries that were rolled back. */
    private void release(Claimed entries) {
        if (entries.claims().isEmpty()) {
            return;
        }
        List<Settlement> releases = entries.claims().stream()
                .<Settlement>map(claim -> new Settlement.Released(claim.ref()))
                .toList();
        Thread.ofVirtual().name("spream-outbox-release-" + database.tables()).start(() -> {
            try {
                new EntrySettlements(database).settle(entries.room().owner(), releases);
            } catch (RuntimeException e) {
                log.debug(
                        "[{}] {} claims were not released; their leases expire",
                        database.tables(),
                        releases.size(),
                        LoggedFailure.of(e));
            }
        });
    }
}

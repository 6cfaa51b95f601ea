package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages of one attempt of a transaction of the caller. Used by one thread at a time. */
final class SpannerOutboxTransaction implements OutboxTransaction {
    private static final Logger log = LoggerFactory.getLogger(SpannerOutboxTransaction.class);

    /** The pauses before the tries to release claims. */
    private static final List<Duration> RELEASES = List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5));

    private final SpannerOutboxDatabase database;
    private final EnqueueStatements statements;
    private final TransactionContext transaction;
    private final List<Claimed> claimed = new ArrayList<>();
    private boolean hasUnclaimed;
    private boolean ended;

    /** The claims of entries as one call has enqueued them, with the room that is held for them. */
    private record Claimed(ClaimRoom room, List<OutboxClaim> claims) {}

    SpannerOutboxTransaction(
            SpannerOutboxDatabase database, EnqueueStatements statements, TransactionContext transaction) {
        this.database = database;
        this.statements = statements;
        this.transaction = transaction;
    }

    @Override
    public List<EnqueueResult> enqueueAll(List<OutboxMessage> messages) {
        requireOpen();
        Optional<ProcessWatchers.Reserved> reserved =
                reserve(messages.stream().filter(EnqueueStatements::isClaimable).toList());
        EnqueueStatements.Enqueued enqueued;
        try {
            enqueued = statements.enqueueAll(transaction, messages, reserved);
        } catch (Throwable t) {
            reserved.ifPresent(worker -> worker.room().close());
            throw t;
        }
        reserved.ifPresent(worker -> keep(worker.room(), enqueued.claims()));
        hasUnclaimed |= enqueued.entries() > enqueued.claims().size();
        return enqueued.results();
    }

    /** Reserves room for the entries of one destination, that of the first. */
    private Optional<ProcessWatchers.Reserved> reserve(List<OutboxMessage> claimable) {
        if (claimable.isEmpty()) {
            return Optional.empty();
        }
        String destination = claimable.getFirst().destination();
        int entries = Math.toIntExact(claimable.stream()
                .filter(message -> message.destination().equals(destination))
                .count());
        return ProcessWatchers.reserve(database, destination, entries);
    }

    private void keep(ClaimRoom room, List<OutboxClaim> claims) {
        if (claims.isEmpty()) {
            room.close();
            return;
        }
        room.hold(claims);
        claimed.add(new Claimed(room, claims));
    }

    @Override
    public void committed() {
        requireOpen();
        ended = true;
        claimed.forEach(each -> {
            if (!each.room().start()) {
                release(each);
            }
        });
        if (hasUnclaimed) {
            ProcessWatchers.wake(database);
        }
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the messages of this transaction of " + database
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
        Thread.ofVirtual().name("spream-outbox-release-" + database.tables()).start(() -> {
            for (Duration pause : RELEASES) {
                LockSupport.parkNanos(pause.toNanos());
                if (releaseNow(entries.room(), releases)) {
                    ProcessWatchers.wake(database);
                    return;
                }
            }
        });
    }

    /** Returns whether the entries were found, or no later try would succeed either. */
    private boolean releaseNow(ClaimRoom room, List<Settlement> releases) {
        try {
            return new ClaimEnds(database).settle(room.owner(), releases).isEmpty();
        } catch (StorageException e) {
            log.info(
                    "[{}] {} claims were not released{}; the entries wait until their leases expire: {}",
                    database.tables(),
                    releases.size(),
                    e.retryable() ? ", unless another try succeeds" : "",
                    LoggedFailure.message(e));
            return !e.retryable();
        }
    }
}

package dev.spream.testkit.memory;

import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.Settlement;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The messages of one transaction in memory. Used by one thread at a time. */
final class MemoryOutboxTransaction implements OutboxTransaction {
    private final MemoryEnqueuer outbox;
    private final OutboxMemory memory;
    private final Transaction transaction;
    private final List<Claims> calls = new ArrayList<>();
    private boolean hasUnclaimed;
    private boolean ended;

    MemoryOutboxTransaction(MemoryEnqueuer outbox, OutboxMemory memory, Transaction transaction) {
        this.outbox = outbox;
        this.memory = memory;
        this.transaction = transaction;
    }

    /** The claims of the entries that one call enqueues for a destination, up to the room for them. */
    record Claims(Optional<ClaimRoom> room, String destination, List<OutboxClaim> claims) {
        static Claims none() {
            return new Claims(Optional.empty(), "", List.of());
        }

        void claim(StoredEntry entry, Instant now) {
            room.filter(free -> claims.size() < free.size()
                            && entry.destination().equals(destination)
                            && entry.isClaimableAtOnce(now))
                    .ifPresent(free -> claims.add(entry.claim(free.owner(), now, free.lease())));
        }

        private void hold() {
            room.ifPresent(free -> free.hold(claims));
        }

        private boolean start() {
            return room.isEmpty() || room.get().start();
        }

        private void close() {
            room.ifPresent(ClaimRoom::close);
        }
    }

    @Override
    public List<EnqueueResult> enqueueAll(List<OutboxMessage> messages) {
        requireOpen();
        String destination = messages.isEmpty() ? "" : messages.getFirst().destination();
        Optional<ClaimRoom> room = memory.watchers.stream()
                .flatMap(watcher -> watcher.reserve(destination, Math.max(1, messages.size())).stream())
                .findFirst();
        Claims claims = new Claims(room, destination, new ArrayList<>());
        try {
            List<EnqueueResult> results = outbox.enqueueAll(transaction, messages, claims);
            if (claims.claims().isEmpty()) {
                claims.close();
            } else {
                claims.hold();
                calls.add(claims);
            }
            hasUnclaimed |= results.stream()
                            .filter(EnqueueResult.Enqueued.class::isInstance)
                            .count()
                    > claims.claims().size();
            return results;
        } catch (Throwable t) {
            claims.close();
            throw t;
        }
    }

    @Override
    public void committed() {
        requireOpen();
        ended = true;
        for (Claims call : calls) {
            if (!call.start()) {
                release(call);
                hasUnclaimed = true;
            }
        }
        if (hasUnclaimed) {
            outbox.signal();
        }
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the messages of this transaction were reported as committed or closed");
        }
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            calls.forEach(Claims::close);
            calls.forEach(this::release);
        }
    }

    private void release(Claims call) {
        call.room()
                .ifPresent(room -> new MemoryStore(memory)
                        .settle(
                                room.owner(),
                                call.claims().stream()
                                        .<Settlement>map(claim -> new Settlement.Released(claim.ref()))
                                        .toList()));
    }
}

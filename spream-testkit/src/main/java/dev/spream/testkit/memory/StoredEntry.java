package dev.spream.testkit.memory;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An entry in memory. Guarded by its memory; every change goes through {@link EntryTable#edit}. */
final class StoredEntry {
    private static final Instant NEVER = Instant.MAX;
    private static final int MAX_MESSAGE = 512;

    private final long id;
    private final OutboxMessage message;
    private final Instant createdAt;

    private int generation = 1;
    private OutboxStatus status = OutboxStatus.PENDING;
    private int attempts;
    private long token;
    private boolean outcomeUnknown;
    private Instant nextRunAt;
    private Instant updatedAt;
    private @Nullable ReasonCode lastError;
    private @Nullable String lastErrorMessage;

    /** The owner of the last claim, also after its end. */
    private @Nullable OutboxOwner owner;

    private Instant leaseUntil = Instant.MIN;

    StoredEntry(long id, OutboxMessage message, Instant now) {
        this.id = id;
        this.message = message;
        this.createdAt = now;
        this.updatedAt = now;
        Instant first = now.plus(message.delay());
        this.nextRunAt = message.notBefore().filter(first::isBefore).orElse(first);
    }

    long id() {
        return id;
    }

    String key() {
        return message.idempotencyKey();
    }

    String digest() {
        return message.requestDigest();
    }

    String payload() {
        return message.payload();
    }

    String destination() {
        return message.destination();
    }

    Optional<String> orderingKey() {
        return message.orderingKey();
    }

    int generation() {
        return generation;
    }

    OutboxStatus status() {
        return status;
    }

    boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    Optional<ReasonCode> lastError() {
        return Optional.ofNullable(lastError);
    }

    Instant updatedAt() {
        return updatedAt;
    }

    boolean isWaiting() {
        return status == OutboxStatus.PENDING || status == OutboxStatus.FAILED;
    }

    boolean isParked() {
        return isWaiting() && nextRunAt.equals(NEVER);
    }

    /** Returns when the entry is due, or when its lease expires. */
    Instant dueAt() {
        return status == OutboxStatus.SENDING ? leaseUntil : nextRunAt;
    }

    boolean isDue(Instant now) {
        return !status.isSettled() && !dueAt().isAfter(now) && !(isWaiting() && hasExpired(now));
    }

    /** Returns whether it can be claimed as it is enqueued: it has no start time, and no order has to be kept. */
    boolean isClaimableAtOnce(Instant now) {
        return orderingKey().isEmpty()
                && message.notBefore().isEmpty()
                && message.delay().isZero()
                && isDue(now);
    }

    boolean hasExpired(Instant now) {
        return message.expiresAt().filter(end -> !now.isBefore(end)).isPresent();
    }

    boolean hasLapsed(Instant now) {
        return status == OutboxStatus.SENDING && !isLeased(now);
    }

    /** Returns whether a worker is sending it, with a lease that has not expired. */
    boolean isLeased(Instant now) {
        return status == OutboxStatus.SENDING && leaseUntil.isAfter(now);
    }

    boolean isHeld(OutboxOwner worker, OutboxClaim.Ref claim) {
        return status == OutboxStatus.SENDING && isLastClaim(worker, claim);
    }

    /** Returns whether this is the last claim of the entry. */
    boolean isLastClaim(OutboxOwner worker, OutboxClaim.Ref claim) {
        return claim.token() == token && worker.equals(owner);
    }

    OutboxClaim claim(OutboxOwner worker, Instant now, Duration lease) {
        outcomeUnknown |= status == OutboxStatus.SENDING;
        become(OutboxStatus.SENDING, now);
        attempts++;
        token++;
        owner = worker;
        leaseUntil = now.plus(lease);
        return new OutboxClaim(entry(), token, attempts, outcomeUnknown, now);
    }

    void renew(Instant now, Duration lease) {
        updatedAt = now;
        leaseUntil = now.plus(lease);
    }

    void fail(Settlement.Failed failed, Instant now) {
        fail(failed.reason(), failed.message(), failed.delay(), failed.outcomeUnknown(), now);
        attempts -= failed.counts() ? 0 : 1;
    }

    private void fail(ReasonCode reason, String text, Duration delay, boolean unknown, Instant now) {
        become(OutboxStatus.FAILED, now);
        because(reason, text);
        outcomeUnknown = unknown;
        Instant next = now.plus(delay);
        nextRunAt = message.expiresAt().filter(next::isAfter).orElse(next);
    }

    void park(ReasonCode reason, String text, boolean unknown, Instant now) {
        fail(reason, text, Duration.ZERO, unknown, now);
        nextRunAt = NEVER;
    }

    void release(Instant now) {
        become(OutboxStatus.PENDING, now);
        attempts--;
    }

    void settle(LedgerResult result, String text, Instant now) {
        become(result.status() == LedgerStatus.SUCCEEDED ? OutboxStatus.SUCCEEDED : OutboxStatus.ABORTED, now);
        result.reason().ifPresent(reason -> because(reason, text));
        outcomeUnknown = false;
    }

    /**
     * Requeues the entry from its first attempt; earlier claims of it no longer hold. A requeue of a parked entry
     * clears its unknown outcome, since the operator has checked it; that of another entry leaves it.
     */
    void requeue(int nextGeneration, Instant now) {
        outcomeUnknown &= !isParked();
        become(OutboxStatus.PENDING, now);
        generation = nextGeneration;
        attempts = 0;
        nextRunAt = now;
        lastError = null;
        lastErrorMessage = null;
        revokeClaim();
    }

    /** Takes the entry from a worker whose lease has expired; it may have reached the receiver. */
    void takeBack(Instant now) {
        become(OutboxStatus.PENDING, now);
        outcomeUnknown = true;
        nextRunAt = now;
        revokeClaim();
    }

    void revokeClaim() {
        token++;
    }

    private void become(OutboxStatus next, Instant now) {
        if (status != next && !status.canBecome(next)) {
            throw new IllegalStateException("entry %d is %s and cannot become %s".formatted(id, status, next));
        }
        status = next;
        updatedAt = now;
    }

    private void because(ReasonCode reason, String text) {
        int length = text.codePointCount(0, text.length());
        lastError = reason;
        lastErrorMessage = length > MAX_MESSAGE ? text.substring(0, text.offsetByCodePoints(0, MAX_MESSAGE)) : text;
    }

    OutboxEntry entry() {
        return new OutboxEntry(
                id,
                key(),
                generation,
                digest(),
                payload(),
                message.payloadType(),
                destination(),
                orderingKey(),
                message.traceparent(),
                createdAt,
                message.expiresAt());
    }

    OrderedEntry ordered(Instant now) {
        String orderingKey = orderingKey().orElseThrow();
        Duration dueIn = isParked() || !dueAt().isAfter(now) ? Duration.ZERO : Duration.between(now, dueAt());
        return new OrderedEntry(id, OutboxSegmentLease.segmentOf(orderingKey), orderingKey, dueIn, isParked());
    }

    OutboxRow row(Optional<LedgerEntry> ledger) {
        boolean sending = status == OutboxStatus.SENDING;
        return new OutboxRow(
                id,
                key(),
                generation,
                digest(),
                status,
                attempts,
                lastError(),
                Optional.ofNullable(lastErrorMessage),
                outcomeUnknown,
                isParked(),
                message.payloadType(),
                destination(),
                orderingKey(),
                isWaiting() && !isParked() ? Optional.of(nextRunAt) : Optional.empty(),
                sending ? Optional.ofNullable(owner).map(OutboxOwner::toString) : Optional.empty(),
                sending ? Optional.of(leaseUntil) : Optional.empty(),
                createdAt,
                updatedAt,
                message.expiresAt(),
                ledger);
    }
}

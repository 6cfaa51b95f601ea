package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entry as one attempt of a transaction reads and changes it: its columns, and the changes of its status. Confined to
 * the thread of the attempt.
 */
final class EntryRow {
    private static final int MAX_MESSAGE = 512;

    private final long id;
    private final String key;
    private final String digest;
    private final @Nullable String payloadType;
    private final String destination;
    private final @Nullable String orderingKey;
    private final @Nullable String traceparent;
    private final Instant createdAt;
    private final @Nullable Instant expiresAt;
    private final @Nullable String payload;

    private int generation = 1;
    private OutboxStatus status = OutboxStatus.PENDING;
    private int attempts;
    private long token;
    private boolean outcomeUnknown;

    /** The time at which a waiting entry is due, kept for a release while it is being sent. Null if it is parked. */
    private @Nullable Instant nextRunAt;

    /** The end of the lease of an entry that is being sent. */
    private @Nullable Instant leaseUntil;

    /** The owner of the last claim, also after its end. */
    private @Nullable String owner;

    private @Nullable String lastError;
    private @Nullable String lastErrorMessage;
    private Instant updatedAt;
    private boolean changed;

    /** Creates an entry that was not stored yet. */
    EntryRow(long id, OutboxMessage message, Instant now) {
        this.id = id;
        this.key = message.idempotencyKey();
        this.digest = message.requestDigest();
        this.payloadType = message.payloadType().orElse(null);
        this.destination = message.destination();
        this.orderingKey = message.orderingKey().orElse(null);
        this.traceparent = message.traceparent().orElse(null);
        this.createdAt = now;
        this.expiresAt = message.expiresAt().orElse(null);
        this.payload = message.payload();
        Instant first = now.plus(message.delay());
        this.nextRunAt = message.notBefore().filter(first::isBefore).orElse(first);
        this.updatedAt = now;
    }

    /** Reads a row with {@link EntryColumns#NAMES}, and with the payload if it was read too. */
    EntryRow(Struct row) {
        this.id = row.getLong("Id");
        this.key = row.getString("IdempotencyKey");
        this.digest = row.getString("RequestDigest");
        this.payloadType = Rows.text(row, "PayloadType");
        this.destination = row.getString("Destination");
        this.orderingKey = Rows.text(row, "OrderingKey");
        this.traceparent = Rows.text(row, "Traceparent");
        this.createdAt = requireNonNull(Rows.time(row, "CreatedAt"));
        this.expiresAt = Rows.time(row, "ExpiresAt");
        this.payload = row.getColumnCount() > EntryColumns.NAMES.size() ? row.getString(EntryColumns.PAYLOAD) : null;
        this.generation = Math.toIntExact(row.getLong("Generation"));
        this.status = statusOf(row.getString("State"));
        this.attempts = Math.toIntExact(row.getLong("Attempts"));
        this.token = row.getLong("Token");
        this.outcomeUnknown = row.getBoolean("OutcomeUnknown");
        this.nextRunAt = Rows.time(row, "NextRunAt");
        this.leaseUntil = status == OutboxStatus.SENDING ? Rows.time(row, "DueAt") : null;
        this.owner = Rows.text(row, "Owner");
        this.lastError = Rows.text(row, "LastError");
        this.lastErrorMessage = Rows.text(row, "LastErrorMessage");
        this.updatedAt = requireNonNull(Rows.time(row, "UpdatedAt"));
    }

    static OutboxStatus statusOf(String state) {
        return state.startsWith(EntryColumns.PARKED) ? OutboxStatus.FAILED : OutboxStatus.of(state);
    }

    /** Returns the key of the entry with that id. */
    static Key key(long id) {
        return Key.of(shard(id), id);
    }

    private static long shard(long id) {
        return Math.floorMod(id, (long) OutboxSchema.SHARDS);
    }

    /** Returns the values of all columns that this row knows. */
    Map<String, Value> values() {
        boolean open = !status.isSettled();
        String openKey = open ? orderingKey : null;
        boolean expires = isWaiting() && !isParked() && expiresAt != null;
        Long shard = shard(id);
        Map<String, Value> values = new LinkedHashMap<>();
        values.put("Shard", Value.int64(shard));
        values.put("Id", Value.int64(id));
        values.put("IdempotencyKey", Value.string(key));
        values.put("Generation", Value.int64(generation));
        values.put("RequestDigest", Value.string(digest));
        values.put("PayloadType", Value.string(payloadType));
        values.put("Destination", Value.string(destination));
        values.put("OrderingKey", Value.string(orderingKey));
        values.put("Traceparent", Value.string(traceparent));
        values.put("CreatedAt", Rows.value(createdAt));
        values.put("ExpiresAt", Rows.value(expiresAt));
        values.put("State", Value.string(state()));
        values.put("Attempts", Value.int64(attempts));
        values.put("Token", Value.int64(token));
        values.put("OutcomeUnknown", Value.bool(outcomeUnknown));
        values.put("NextRunAt", Rows.value(nextRunAt));
        values.put("DueAt", Rows.value(dueAt()));
        values.put("Owner", Value.string(owner));
        values.put("LastError", Value.string(lastError));
        values.put("LastErrorMessage", Value.string(lastErrorMessage));
        values.put("UpdatedAt", Rows.value(updatedAt));
        values.put("DueShard", Value.int64(open && orderingKey == null && dueAt() != null ? shard : null));
        values.put(
                "OpenSegment",
                Value.int64(openKey == null ? null : (Long) (long) OutboxSegmentLease.segmentOf(openKey)));
        values.put("OpenOrderingKey", Value.string(openKey));
        values.put("Waiting", Value.bool(openKey == null ? null : (Boolean) isWaiting()));
        values.put("ExpiryShard", Value.int64(expires ? shard : null));
        values.put("ExpiryAt", Rows.value(expires ? expiresAt : null));
        values.put("SettledShard", Value.int64(open ? null : shard));
        values.put("SettledAt", Rows.value(open ? null : updatedAt));
        if (payload != null) {
            values.put(EntryColumns.PAYLOAD, Value.string(payload));
        }
        return values;
    }

    private String state() {
        if (isParked()) {
            return outcomeUnknown ? EntryColumns.PARKED_UNKNOWN : EntryColumns.PARKED;
        }
        return status.text();
    }

    long id() {
        return id;
    }

    /** Returns the values that a change writes: all but those of a new row. */
    Map<String, Value> changes() {
        Map<String, Value> changes = values();
        changes.keySet().removeAll(EntryColumns.FIXED);
        return changes;
    }

    String key() {
        return key;
    }

    String digest() {
        return digest;
    }

    int generation() {
        return generation;
    }

    OutboxStatus status() {
        return status;
    }

    Instant updatedAt() {
        return updatedAt;
    }

    boolean outcomeUnknown() {
        return outcomeUnknown;
    }

    String destination() {
        return destination;
    }

    @Nullable
    String orderingKey() {
        return orderingKey;
    }

    boolean isChanged() {
        return changed;
    }

    boolean isWaiting() {
        return status == OutboxStatus.PENDING || status == OutboxStatus.FAILED;
    }

    boolean isParked() {
        return isWaiting() && nextRunAt == null;
    }

    /** Returns when the entry is due, or when its lease expires; null if it is settled or parked. */
    private @Nullable Instant dueAt() {
        return status == OutboxStatus.SENDING ? leaseUntil : isWaiting() ? nextRunAt : null;
    }

    boolean isDue(Instant now) {
        Instant dueAt = dueAt();
        return dueAt != null && !dueAt.isAfter(now) && !(isWaiting() && hasExpired(now));
    }

    boolean hasExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    boolean hasLapsed(Instant now) {
        return status == OutboxStatus.SENDING && !isLeased(now);
    }

    /** Returns whether a worker is sending it, with a lease that has not expired. */
    boolean isLeased(Instant now) {
        return status == OutboxStatus.SENDING && requireNonNull(leaseUntil).isAfter(now);
    }

    boolean isHeld(OutboxOwner worker, OutboxClaim.Ref claim) {
        return status == OutboxStatus.SENDING && isLastClaim(worker, claim);
    }

    /** Returns whether this is the last claim of the entry. */
    boolean isLastClaim(OutboxOwner worker, OutboxClaim.Ref claim) {
        return claim.token() == token && worker.toString().equals(owner);
    }

    OutboxClaim claim(OutboxOwner worker, Instant now, Duration lease) {
        outcomeUnknown |= status == OutboxStatus.SENDING;
        become(OutboxStatus.SENDING, now);
        attempts++;
        token++;
        owner = worker.toString();
        leaseUntil = now.plus(lease);
        return new OutboxClaim(entry(), token, attempts, outcomeUnknown, now);
    }

    private OutboxEntry entry() {
        return new OutboxEntry(
                id,
                key,
                generation,
                digest,
                requireNonNull(payload),
                Optional.ofNullable(payloadType),
                destination,
                Optional.ofNullable(orderingKey),
                Optional.ofNullable(traceparent),
                createdAt,
                Optional.ofNullable(expiresAt));
    }

    void renew(Instant now, Duration lease) {
        updatedAt = now;
        leaseUntil = now.plus(lease);
        changed = true;
    }

    void fail(Settlement.Failed failed, Instant now) {
        Instant next = now.plus(failed.delay());
        Instant latest = expiresAt == null || next.isBefore(expiresAt) ? next : expiresAt;
        fail(failed.reason(), failed.message(), latest, failed.outcomeUnknown(), now);
        attempts -= failed.counts() ? 0 : 1;
    }

    void park(ReasonCode reason, String message, boolean unknown, Instant now) {
        fail(reason, message, null, unknown, now);
    }

    private void fail(ReasonCode reason, String message, @Nullable Instant next, boolean unknown, Instant now) {
        become(OutboxStatus.FAILED, now);
        because(reason, message);
        outcomeUnknown = unknown;
        nextRunAt = next;
    }

    void release(Instant now) {
        become(OutboxStatus.PENDING, now);
        attempts--;
    }

    void settle(LedgerResult result, String message, Instant now) {
        become(result.status() == LedgerStatus.SUCCEEDED ? OutboxStatus.SUCCEEDED : OutboxStatus.ABORTED, now);
        result.reason().ifPresent(reason -> because(reason, message));
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
        changed = true;
    }

    private void because(ReasonCode reason, String message) {
        int length = message.codePointCount(0, message.length());
        lastError = reason.value();
        lastErrorMessage = Rows.storable(
                length > MAX_MESSAGE ? message.substring(0, message.offsetByCodePoints(0, MAX_MESSAGE)) : message);
    }

    /** @param ledger the ledger's last entry for its key */
    OutboxRow row(Optional<LedgerEntry> ledger) {
        boolean sending = status == OutboxStatus.SENDING;
        return new OutboxRow(
                id,
                key,
                generation,
                digest,
                status,
                attempts,
                Optional.ofNullable(lastError).map(ReasonCode::new),
                Optional.ofNullable(lastErrorMessage),
                outcomeUnknown,
                isParked(),
                Optional.ofNullable(payloadType),
                destination,
                Optional.ofNullable(orderingKey),
                isWaiting() ? Optional.ofNullable(nextRunAt) : Optional.empty(),
                sending ? Optional.ofNullable(owner) : Optional.empty(),
                Optional.ofNullable(sending ? leaseUntil : null),
                createdAt,
                updatedAt,
                Optional.ofNullable(expiresAt),
                ledger);
    }
}

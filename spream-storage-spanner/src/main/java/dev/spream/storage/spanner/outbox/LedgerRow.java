package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.Sha256;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.ReasonCode;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A generation of a request in the ledger.
 *
 * @param entryId the id of its entry in the outbox; null if it has none, or none any more
 * @param forgetAt the time of settlement of the last generation of a request without an entry, from which its age
 *     counts; null in all others
 */
record LedgerRow(
        String key,
        int generation,
        String digest,
        Optional<LedgerResult> result,
        Instant createdAt,
        @Nullable Instant settledAt,
        @Nullable Long entryId,
        @Nullable Instant forgetAt) {
    static final List<String> DECLARATIONS = List.of(
            "Shard INT64 NOT NULL",
            "IdempotencyKey STRING(MAX) NOT NULL",
            "Generation INT64 NOT NULL",
            "RequestDigest STRING(MAX) NOT NULL",
            "Status STRING(MAX) NOT NULL",
            "HttpStatus INT64",
            "ResponsePayload STRING(MAX)",
            "Reason STRING(MAX)",
            "CreatedAt TIMESTAMP NOT NULL",
            "SettledAt TIMESTAMP",
            "EntryId INT64",
            "ForgetShard INT64",
            "ForgetAt TIMESTAMP");
    static final List<String> NAMES = OutboxSchema.columns(DECLARATIONS);
    static final String KEY = "Shard, IdempotencyKey, Generation";

    /** The number of characters that a column can hold. */
    static final int MAX_TEXT = 2_621_440;

    /** Creates the first generation of a request. */
    static LedgerRow begun(String key, String digest, Instant now, @Nullable Long entryId) {
        return new LedgerRow(key, 1, digest, Optional.empty(), now, null, entryId, null);
    }

    static LedgerRow read(Struct row) {
        LedgerStatus status = LedgerStatus.valueOf(row.getString("Status").toUpperCase(Locale.ROOT));
        return new LedgerRow(
                row.getString("IdempotencyKey"),
                Math.toIntExact(row.getLong("Generation")),
                row.getString("RequestDigest"),
                status.isSettled()
                        ? Optional.of(new LedgerResult(
                                status,
                                Math.toIntExact(row.getLong("HttpStatus")),
                                Optional.ofNullable(Rows.text(row, "ResponsePayload")),
                                Optional.ofNullable(Rows.text(row, "Reason")).map(ReasonCode::new)))
                        : Optional.empty(),
                requireNonNull(Rows.time(row, "CreatedAt")),
                Rows.time(row, "SettledAt"),
                Rows.number(row, "EntryId"),
                Rows.time(row, "ForgetAt"));
    }

    /** Returns the last generation of each of the requests that exist. */
    static Map<String, LedgerRow> last(ReadContext context, OutboxSchema tables, Collection<String> keys) {
        KeySet.Builder all = KeySet.newBuilder();
        keys.forEach(key -> all.addRange(KeyRange.prefix(prefix(key))));
        Map<String, LedgerRow> last = new HashMap<>();
        if (!keys.isEmpty()) {
            Rows.all(context.read(tables.ledger(), all.build(), NAMES), LedgerRow::read)
                    .forEach(row -> last.put(row.key(), row)); // generations are in order
        }
        return last;
    }

    static Optional<LedgerRow> last(ReadContext context, OutboxSchema tables, String key) {
        return Optional.ofNullable(last(context, tables, List.of(key)).get(key));
    }

    /** Returns the beginning of the keys of all generations of a request. */
    static Key prefix(String key) {
        return Key.of(shard(key), key);
    }

    static Key key(String key, int generation) {
        return Key.of(shard(key), key, generation);
    }

    private static long shard(String key) {
        return Math.floorMod(Sha256.of(key)[0], OutboxSchema.SHARDS);
    }

    Map<String, Value> values() {
        Map<String, Value> values = new LinkedHashMap<>();
        values.put("Shard", Value.int64(shard(key)));
        values.put("IdempotencyKey", Value.string(key));
        values.put("Generation", Value.int64(generation));
        values.put("RequestDigest", Value.string(digest));
        values.put("Status", Value.string(entry().status().text()));
        values.put(
                "HttpStatus",
                Value.int64(result.map(settled -> (long) settled.httpStatus()).orElse(null)));
        values.put(
                "ResponsePayload",
                Value.string(result.flatMap(LedgerResult::responsePayload).orElse(null)));
        values.put(
                "Reason",
                Value.string(result.flatMap(LedgerResult::reason)
                        .map(ReasonCode::value)
                        .orElse(null)));
        values.put("CreatedAt", Rows.value(createdAt));
        values.put("SettledAt", Rows.value(settledAt));
        values.put("EntryId", Value.int64(entryId));
        values.put("ForgetShard", Value.int64(forgetAt == null ? null : (Long) shard(key)));
        values.put("ForgetAt", Rows.value(forgetAt));
        return values;
    }

    /** Returns whether the request is in progress in this generation, with that digest. */
    boolean isOpen(String requestDigest) {
        return result.isEmpty() && digest.equals(requestDigest);
    }

    /** Returns the settled generation. A response that the column cannot hold is left out. */
    LedgerRow settled(LedgerResult settled, Instant now) {
        LedgerResult storable = new LedgerResult(
                settled.status(),
                settled.httpStatus(),
                settled.responsePayload()
                        .filter(text -> text.length() <= MAX_TEXT)
                        .map(Rows::storable),
                settled.reason());
        return new LedgerRow(
                key, generation, digest, Optional.of(storable), createdAt, now, entryId, entryId == null ? now : null);
    }

    /** Returns the next generation of a failed request. */
    LedgerRow reopened(Instant now) {
        return new LedgerRow(key, generation + 1, digest, Optional.empty(), now, null, entryId, null);
    }

    /** Returns this generation as one that is not the last, or whose entry exists: it is not forgotten by its own age. */
    LedgerRow kept() {
        return new LedgerRow(key, generation, digest, result, createdAt, settledAt, entryId, null);
    }

    /** Returns this last generation after its entry was removed. */
    LedgerRow withoutEntry() {
        return new LedgerRow(key, generation, digest, result, createdAt, settledAt, null, settledAt);
    }

    boolean hasFailed() {
        return result.map(LedgerResult::status)
                .filter(LedgerStatus.FAILED::equals)
                .isPresent();
    }

    LedgerEntry entry() {
        return new LedgerEntry(key, generation, digest, result, createdAt, Optional.ofNullable(settledAt));
    }
}

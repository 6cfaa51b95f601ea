package dev.spream.search.meilisearch;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A document as stored in the server. Names of members that spream adds begin with an underscore, with which no field
 * of a document begins.
 *
 * @param fields the fields; none if it is deleted
 */
record StoredDocument(String id, long version, boolean deleted, Map<String, Object> fields) {
    static final String ID = "_id";
    static final String VERSION = "_version";
    static final String DELETED = "_deleted";
    static final String DELETED_AT = "_deletedAt"; // time of deletion in milliseconds

    /** @throws RuntimeException if it was not written by spream */
    static StoredDocument of(JsonObject members) {
        Map<String, Object> fields = new LinkedHashMap<>();
        members.members().forEach((name, value) -> {
            if (!name.startsWith("_") && value != null) {
                fields.put(name, value(value));
            }
        });
        return new StoredDocument(
                members.string(ID).orElseThrow(),
                members.int64(VERSION).orElseThrow(),
                Boolean.TRUE.equals(members.get(DELETED)),
                fields);
    }

    /**
     * Reads a number with a fraction or an exponent as a double, and so a number too large for a long, since the server
     * writes 1e30 in full.
     */
    private static Object value(Object value) {
        return switch (value) {
            case BigDecimal number
            when number.scale() != 0 || number.unscaledValue().bitLength() >= Long.SIZE -> number.doubleValue();
            case BigDecimal number -> number.longValueExact();
            default -> value;
        };
    }

    SearchDocument document() {
        return new SearchDocument(id, fields);
    }

    /**
     * Returns the document to send for a change of the stored one; empty if the change is not newer, or has no effect.
     */
    static Optional<Map<String, Object>> after(@Nullable StoredDocument before, SearchChange change, Instant now) {
        if (before != null && before.version() >= change.version()) {
            return Optional.empty();
        }
        return switch (change) {
            case SearchChange.Put put ->
                Optional.of(live(put.id(), put.version(), put.document().fields()));
            case SearchChange.Delete delete -> Optional.of(tombstone(delete, now));
            case SearchChange.Merge merge when before == null || before.deleted() -> Optional.empty();
            case SearchChange.Merge merge -> {
                Map<String, Object> fields = new LinkedHashMap<>(before.fields());
                fields.putAll(merge.fields());
                yield Optional.of(live(merge.id(), merge.version(), fields));
            }
        };
    }

    private static Map<String, Object> live(String id, long version, Map<String, Object> fields) {
        Map<String, Object> members = headed(id, version, false);
        fields.forEach(
                (name, value) -> members.put(name, value instanceof Double number ? fraction(name, number) : value));
        return members;
    }

    /** Gives the number a fraction, so that it is read back as a double. */
    private static BigDecimal fraction(String name, double number) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("the field '%s' is not a finite number".formatted(name));
        }
        BigDecimal exact = new BigDecimal(Double.toString(number));
        return exact.scale() < 1 ? exact.setScale(1) : exact;
    }

    private static Map<String, Object> tombstone(SearchChange.Delete delete, Instant now) {
        Map<String, Object> members = headed(delete.id(), delete.version(), true);
        members.put(DELETED_AT, now.toEpochMilli());
        return members;
    }

    private static Map<String, Object> headed(String id, long version, boolean deleted) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(ID, id);
        members.put(VERSION, version);
        members.put(DELETED, deleted);
        return members;
    }
}

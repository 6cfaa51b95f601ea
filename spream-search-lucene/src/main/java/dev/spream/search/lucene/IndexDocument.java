package dev.spream.search.lucene;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchSchema;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.Query;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/** The form of documents and tombstones in the index. */
final class IndexDocument {
    static final String ID = "_id";
    static final Term LIVE = new Term("_live", "1");

    private static final String TOMBSTONE = "_tombstone"; // the time of deletion in milliseconds
    private static final String VERSION = "_version";
    private static final String SOURCE = "_source";

    private IndexDocument() {}

    static String searched(String field) {
        return "t." + field;
    }

    static String filtered(String field) {
        return "k." + field;
    }

    static String sorted(String field) {
        return "s." + field;
    }

    static Term key(String id) {
        return new Term(ID, id);
    }

    static Document of(SearchDocument document, long version, SearchSchema schema) {
        Document stored = headed(document.id(), version);
        stored.add(new StoredField(SOURCE, Json.text(plain(document.fields()))));
        stored.add(new StringField(LIVE.field(), LIVE.text(), Field.Store.NO));
        document.fields().forEach((name, value) -> {
            if (schema.searchable().contains(name)) {
                texts(value).forEach(text -> stored.add(new TextField(searched(name), text, Field.Store.NO)));
            }
            if (schema.filterable().contains(name)) {
                FieldValue.filterable(value)
                        .forEach(text -> stored.add(new StringField(filtered(name), text, Field.Store.NO)));
            }
            if (schema.sortable().contains(name)) {
                FieldValue.ordered(value).forEach(bytes -> stored.add(new SortedDocValuesField(sorted(name), bytes)));
            }
        });
        return stored;
    }

    static Document tombstone(String id, long version, Instant at) {
        Document tombstone = headed(id, version);
        tombstone.add(new LongPoint(TOMBSTONE, at.toEpochMilli()));
        return tombstone;
    }

    static Query tombstonesUntil(Instant then) {
        return LongPoint.newRangeQuery(TOMBSTONE, Long.MIN_VALUE, then.toEpochMilli());
    }

    private static Document headed(String id, long version) {
        Document document = new Document();
        document.add(new StringField(ID, id, Field.Store.YES));
        document.add(new SortedDocValuesField(ID, new BytesRef(id)));
        document.add(new StoredField(VERSION, version));
        return document;
    }

    private static List<String> texts(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(value.toString());
    }

    /** Gives doubles a fraction, so that they are read back as doubles. */
    private static Map<String, Object> plain(Map<String, Object> fields) {
        Map<String, Object> plain = new LinkedHashMap<>(fields);
        plain.replaceAll((name, value) -> value instanceof Double number ? fraction(name, number) : value);
        return plain;
    }

    private static BigDecimal fraction(String name, double number) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("the field '%s' is not a finite number".formatted(name));
        }
        BigDecimal exact = new BigDecimal(Double.toString(number));
        return exact.scale() < 1 ? exact.setScale(1) : exact;
    }

    static long version(Document stored) {
        return stored.getField(VERSION).numericValue().longValue();
    }

    static boolean isTombstone(Document stored) {
        return stored.get(SOURCE) == null;
    }

    static SearchDocument read(Document stored) {
        Map<String, Object> fields = new LinkedHashMap<>();
        JsonObject.of(stored.get(SOURCE)).members().forEach((name, value) -> fields.put(name, value(value)));
        return new SearchDocument(stored.get(ID), fields);
    }

    private static Object value(@Nullable Object value) {
        return switch (value) {
            case BigDecimal number when number.scale() > 0 -> number.doubleValue();
            case BigDecimal number -> number.longValueExact();
            case null -> throw new IllegalStateException("a stored field without a value");
            default -> value;
        };
    }
}

package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Values of rows, and the statements that write them. Times have microseconds, which both dialects keep. */
final class Rows {
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

    private Rows() {}

    static <T> List<T> all(ResultSet rows, Function<Struct, T> reader) {
        List<T> read = new ArrayList<>();
        each(rows, row -> read.add(reader.apply(row)));
        return read;
    }

    /** Hands over rows one by one, and returns their number. */
    static int each(ResultSet rows, Consumer<Struct> reader) {
        int count = 0;
        try (rows) {
            for (; rows.next(); count++) {
                reader.accept(rows.getCurrentRowAsStruct());
            }
        }
        return count;
    }

    static @Nullable String text(Struct row, String column) {
        return row.isNull(column) ? null : row.getString(column);
    }

    static @Nullable Long number(Struct row, String column) {
        return row.isNull(column) ? null : (Long) row.getLong(column);
    }

    static @Nullable Instant time(Struct row, String column) {
        return row.isNull(column) ? null : Timestamps.toInstant(row.getTimestamp(column));
    }

    /** Returns the value of a time, the first or last possible one if it is beyond that. */
    static Value value(@Nullable Instant time) {
        if (time == null) {
            return Value.timestamp(null);
        }
        Instant possible = time.isAfter(LAST) ? LAST : time.isBefore(FIRST) ? FIRST : time;
        return Value.timestamp(Timestamps.toTimestamp(possible.truncatedTo(ChronoUnit.MICROS)));
    }

    /** Returns a text that both dialects can hold: PostgreSQL has no U+0000, and UTF-8 no half of a pair. */
    static String storable(String text) {
        return text.codePoints()
                .map(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) ? '\ufffd' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    static Mutation mutation(Mutation.WriteBuilder builder, Map<String, Value> values) {
        values.forEach((column, value) -> builder.set(column).to(value));
        return builder.build();
    }

    static Statement insert(OutboxSchema tables, String table, Map<String, Value> values) {
        return bound(
                "INSERT INTO %s (%s) VALUES (%s)"
                        .formatted(
                                tables.quoted(table),
                                tables.quoted(List.copyOf(values.keySet())),
                                IntStream.rangeClosed(1, values.size())
                                        .mapToObj(tables::parameter)
                                        .collect(Collectors.joining(", "))),
                values.values());
    }

    /** Returns the statement that updates all columns of a row but its key. */
    static Statement update(OutboxSchema tables, String table, String key, Map<String, Value> values) {
        List<String> keys = List.of(key.split(", "));
        List<String> columns = List.copyOf(values.keySet());
        Map<Boolean, List<String>> parts = columns.stream()
                .collect(Collectors.partitioningBy(
                        keys::contains,
                        Collectors.mapping(
                                column -> tables.quoted(column) + " = " + tables.parameter(columns.indexOf(column) + 1),
                                Collectors.toList())));
        return bound(
                "UPDATE %s SET %s WHERE %s"
                        .formatted(
                                tables.quoted(table),
                                String.join(", ", parts.getOrDefault(false, List.of())),
                                String.join(" AND ", parts.getOrDefault(true, List.of()))),
                values.values());
    }

    /** Returns the statement with its parameters, in their order. */
    static Statement bound(String sql, Iterable<Value> values) {
        Statement.Builder statement = Statement.newBuilder(sql);
        int number = 0;
        for (Iterator<Value> each = values.iterator(); each.hasNext(); ) {
            statement.bind("p" + ++number).to(each.next());
        }
        return statement.build();
    }
}

package dev.spream.storage.spanner;

import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import com.google.spanner.v1.PartialResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Result sets as Spanner sends large rows: every second value in three chunks, with a set without values before the
 * last.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#partialresultset">Spanner:
 *     PartialResultSet, chunked_value</a>
 */
final class ChunkedRows {
    private ChunkedRows() {}

    static List<PartialResultSet> of(PartialResultSet rows) {
        if (rows.getValuesCount() == 0) {
            return List.of(rows);
        }
        List<PartialResultSet> sets = new ArrayList<>();
        PartialResultSet.Builder next =
                rows.toBuilder().clearValues().clearResumeToken().clearStats();
        for (int row = 0; row < rows.getValuesCount(); row++) {
            Value left = rows.getValues(row);
            if (row % 2 == 0) {
                List<Value> first = split(left);
                List<Value> second = split(first.getLast());
                sets.add(next.addValues(first.getFirst()).setChunkedValue(true).build());
                sets.add(chunk(second.getFirst()).setChunkedValue(true).build());
                sets.add(PartialResultSet.getDefaultInstance());
                left = second.getLast();
            }
            sets.add((row % 2 == 0 ? chunk(left) : next.addValues(left)).build());
            next = PartialResultSet.newBuilder();
        }
        sets.add(rows.toBuilder().clearMetadata().clearValues().build());
        return sets;
    }

    private static PartialResultSet.Builder chunk(Value value) {
        return PartialResultSet.newBuilder().addValues(value);
    }

    /** Returns two parts that the client merges: a text in the middle, a list within one of its lists or texts. */
    private static List<Value> split(Value value) {
        if (value.hasStringValue()) {
            String text = value.getStringValue();
            return List.of(
                    Values.of(text.substring(0, text.length() / 2)), Values.of(text.substring(text.length() / 2)));
        }
        List<Value> elements = value.getListValue().getValuesList();
        for (int i = elements.size() / 2; i < elements.size(); i++) {
            if (elements.get(i).hasStringValue() || elements.get(i).hasListValue()) {
                List<Value> parts = split(elements.get(i));
                return List.of(
                        list(elements.subList(0, i), List.of(parts.getFirst())),
                        list(List.of(parts.getLast()), elements.subList(i + 1, elements.size())));
            }
        }
        return List.of(list(List.of(), List.of()), value);
    }

    private static Value list(List<Value> some, List<Value> others) {
        return Values.of(Stream.concat(some.stream(), others.stream()).toList());
    }
}

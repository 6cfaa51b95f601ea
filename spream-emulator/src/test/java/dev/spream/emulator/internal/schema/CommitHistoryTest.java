package dev.spream.emulator.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.NullValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CommitHistoryTest {
    private static final Instant START = Instant.parse("2024-01-01T00:00:00Z");
    private static final Value NULL =
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();
    private static final Table TABLE = new Table(
            "T",
            List.of(new Column("Id", Type.newBuilder().setCode(TypeCode.INT64).build(), 1, true, false)),
            List.of("Id"));

    private final CommitHistory history = new CommitHistory(START);

    private static RowChange deletion(int id, Map<String, Value> others) {
        Map<String, Value> before = new LinkedHashMap<>(others);
        before.put("Id", text(Integer.toString(id)));
        return new RowChange(TABLE, RowChange.Kind.DELETE, before, Map.of(), Set.of("Id"));
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private void commit(int seconds, List<RowChange> changes) {
        history.add(CommitHistory.before(new Commit(START.plusSeconds(seconds), "", false, false, changes)));
    }

    private boolean knows(Instant time) {
        return history.rowsAt(time, START.plusSeconds(10)).isPresent();
    }

    @Test
    void a_commit_larger_than_the_limit_is_counted_and_not_kept() {
        commit(1, List.of(deletion(1, Map.of())));
        assertThat(knows(START)).isTrue();
        commit(2, List.of(deletion(2, Map.of("V", text("x".repeat((int) CommitHistory.MAX_BYTES))))));
        assertThat(history.position()).isEqualTo(2);
        assertThat(history.changedSince(1, row -> false)).isTrue();
        assertThat(knows(START.plusSeconds(1))).isFalse();
        assertThat(knows(START.plusSeconds(2))).isTrue();
    }

    @Test
    void a_null_takes_memory_too() {
        Map<String, Value> nulls = new LinkedHashMap<>();
        IntStream.range(0, 20).forEach(column -> nulls.put("C" + column, NULL));
        commit(1, IntStream.range(0, 20_000).mapToObj(id -> deletion(id, nulls)).toList());
        assertThat(knows(START)).isFalse();
    }
}

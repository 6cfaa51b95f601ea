package dev.spream.emulator.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the size of the history. */
class CommitHistoryTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int MEBIBYTE = 1 << 20;
    private static final Column TEXT =
            new Column("Text", Type.newBuilder().setCode(TypeCode.STRING).build(), 1, true, false);
    private static final Table TEXTS = new Table("Texts", List.of(TEXT), List.of("Text"));

    @Test
    void the_oldest_commits_are_forgotten_when_the_rows_before_them_exceed_32_mib() {
        CommitHistory history = new CommitHistory(START);
        Value text = Value.newBuilder().setStringValue("x".repeat(MEBIBYTE / 2)).build();
        for (int commit = 1; commit <= 31; commit++) {
            history.add(deletion(START.plusSeconds(commit), text));
        }
        Instant now = START.plusSeconds(60);
        assertThat(history.rowsAt(START, now)).isPresent();
        assertThat(history.changedSince(0, row -> false)).isFalse();
        history.add(deletion(START.plusSeconds(32), text));
        assertThat(history.rowsAt(START, now)).isEmpty();
        assertThat(history.rowsAt(START.plusSeconds(1), now)).isPresent();
        assertThat(history.changedSince(0, row -> false)).isTrue();
        assertThat(history.changedSince(1, row -> false)).isFalse();
    }

    /** A commit that counts as a MiB and a little more: of the row's only value, once as its key. */
    private static Commit deletion(Instant timestamp, Value text) {
        Map<String, Value> row = Map.of("Text", text);
        RowChange change = new RowChange(TEXTS, RowChange.Kind.DELETE, row, Map.of(), Set.of("Text"));
        return new Commit(timestamp, "", false, false, List.of(change));
    }
}

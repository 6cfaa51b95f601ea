package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowChange.Kind;
import dev.spream.emulator.internal.sql.Dialect;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionTest {
    private final Partition partition = new Partition("t", T0, List.of());

    @Test
    void entries_before_the_horizon_are_dropped_and_the_others_keep_their_index() {
        fill(600);
        long index = partition.seek(second(500));

        partition.dropBefore(second(400));

        assertThat(partition.size()).isEqualTo(200);
        assertThat(partition.seek(second(500))).isEqualTo(index).isEqualTo(500);
        assertThat(partition.read(index, Instant.MAX, 10).entries())
                .hasSize(10)
                .first()
                .extracting(StreamEntry::timestamp)
                .isEqualTo(second(500));
    }

    @Test
    void a_reader_whose_next_entry_was_dropped_is_told_so() {
        fill(600);
        partition.dropBefore(second(600));
        assertThat(partition.size()).isZero();
        assertThat(partition.read(0, Instant.MAX, 10).lost()).isTrue();
        assertThat(partition.read(600, Instant.MAX, 10).lost()).isFalse();
    }

    @Test
    void a_slice_ends_with_the_query_and_says_whether_anything_can_follow() {
        fill(3);
        assertThat(partition.read(0, second(1), 10).entries()).hasSize(2);
        assertThat(partition.read(0, second(1), 10).complete()).isTrue();
        assertThat(partition.read(0, second(2), 10).complete()).isFalse();

        partition.end(second(3), List.of(entry(new StreamRecord.Start(second(3), 0, List.of()))), 1);

        assertThat(partition.read(0, second(2), 10).complete()).isTrue();
        assertThat(partition.read(0, second(3), 10).entries()).hasSize(3);
        assertThat(partition.read(0, second(3), 10).complete()).isFalse();
        assertThat(partition.read(3, second(2), 10).closing()).isFalse();
        assertThat(partition.read(3, second(3), 10).closing()).isTrue();
        assertThat(partition.read(3, second(3), 10).complete()).isTrue();
        assertThat(partition.read(0, second(3), 1).complete()).isFalse();
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            RowChange change = StreamRig.insertOrder(i);
            List<Column> columns = StreamRig.ORDERS.columns();
            TableLayout layout = TableLayout.of(StreamRig.ORDERS, columns.subList(1, columns.size()));
            DataRecord record = new DataRecord(
                    new DataRecord.Transaction(second(i), "1", "", false, ValueCapture.NEW_ROW, 1, 1),
                    0,
                    true,
                    layout,
                    Kind.INSERT,
                    columns,
                    List.of(change));
            partition.append(List.of(entry(record)));
        }
    }

    private static StreamEntry entry(StreamRecord record) {
        return new StreamEntry(record, new JsonRecordEncoder(Dialect.GOOGLE_STANDARD_SQL, "READ_S"));
    }

    private static Instant second(int number) {
        return T0.plusSeconds(number);
    }
}

package dev.spream.core.subscription.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RecordIntakeTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

    private final List<String> taken = new ArrayList<>();
    private final List<DataChangeRecord> undecodable = new ArrayList<>();

    /** The partition was left at a move-out: changes before it are settled. */
    private final RecordIntake intake = intake(Optional.of("3"));

    private RecordIntake intake(Optional<String> settledSequence) {
        return new RecordIntake("Orders/p", new ReadPosition(START, settledSequence), new Taking());
    }

    @Test
    void a_row_whose_place_cannot_be_read_does_not_count_as_settled() throws InterruptedException {
        takeUndecodable(Optional.empty(), Optional.empty(), "a");
        takeUndecodable(Optional.of(START), Optional.empty(), "b");
        takeUndecodable(Optional.empty(), Optional.of("2"), "c");
        takeUndecodable(Optional.of(START), Optional.of("2"), "settled");

        assertThat(undecodable).hasSize(3);
    }

    @Test
    void rows_of_one_transaction_whose_sequences_cannot_be_read_are_all_kept() throws InterruptedException {
        takeUndecodable(Optional.of(START), Optional.empty(), "a");
        takeUndecodable(Optional.of(START), Optional.empty(), "b");
        takeUndecodable(Optional.of(START), Optional.empty(), "a");

        assertThat(undecodable).hasSize(2);
    }

    @Test
    void a_change_that_is_returned_after_a_later_event_stops_the_reading() throws InterruptedException {
        RecordIntake fresh = intake(Optional.empty());
        fresh.take(change("1"));
        fresh.take(event());
        fresh.take(change("1"));
        fresh.take(change("4"));

        assertThatThrownBy(() -> fresh.take(change("2")))
                .hasMessageContaining("the server returned the change %s/tx/2 after the event 3", START);
        assertThat(taken).containsExactly("1", "event 3", "4");
    }

    @Test
    void a_change_that_is_returned_after_an_event_of_a_later_time_stops_the_reading() throws InterruptedException {
        intake.take(new PartitionEventRecord(START.plusSeconds(1), "0", "p", List.of(), List.of("q")));

        assertThatThrownBy(() -> intake.take(change("4"))).hasMessageContaining("after the event 0");
    }

    @Test
    void a_settled_change_that_is_first_returned_after_the_event_stops_the_reading() throws InterruptedException {
        intake.take(change("1"));
        intake.take(event());
        intake.take(change("1"));

        assertThatThrownBy(() -> intake.take(change("2"))).hasMessageContaining("after the event 3");
        assertThat(taken).containsExactly("event 3");
    }

    private static DataChangeRecord change(String sequence) {
        return DataChangeRecord.withoutRows(START, sequence, "tx", "Accounts");
    }

    private static PartitionEventRecord event() {
        return new PartitionEventRecord(START, "3", "p", List.of(), List.of("q"));
    }

    private void takeUndecodable(Optional<Instant> committed, Optional<String> sequence, String row)
            throws InterruptedException {
        intake.takeUndecodable(
                new UndecodableChange(committed, Optional.of("tx"), sequence, Optional.of("Accounts"), row),
                new SourceException(SourceException.Kind.MALFORMED, "garbled", null));
    }

    private final class Taking implements RecordHandler {
        @Override
        public boolean keepsOrder() {
            return true;
        }

        @Override
        public boolean change(DataChangeRecord change, Instant position) {
            taken.add(change.recordSequence());
            return true;
        }

        @Override
        public boolean keepsUndecodable() {
            return true;
        }

        @Override
        public boolean undecodable(DataChangeRecord standIn, UndecodableRowException failure) {
            undecodable.add(standIn);
            return true;
        }

        @Override
        public boolean children(ChildPartitionsRecord children) {
            return true;
        }

        @Override
        public void moved(PartitionEventRecord event) {
            taken.add("event " + event.recordSequence());
        }

        @Override
        public void readUpTo(Instant timestamp) {}

        @Override
        public RuntimeException unreadable(SourceException failure) {
            return failure;
        }

        @Override
        public RuntimeException outOfOrder(DataChangeRecord change, Instant latestChange) {
            return new IllegalStateException(change + " is out of order");
        }
    }
}

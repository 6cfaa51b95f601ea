package dev.spream.core.subscription.reading;

import static org.assertj.core.api.Assertions.assertThat;

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

    private void takeUndecodable(Optional<Instant> committed, Optional<String> sequence, String row)
            throws InterruptedException {
        intake.takeUndecodable(
                new UndecodableChange(committed, Optional.of("tx"), sequence, Optional.of("Accounts"), row),
                new SourceException(SourceException.Kind.MALFORMED, "garbled", null));
    }

    private final class Taking implements RecordHandler {
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

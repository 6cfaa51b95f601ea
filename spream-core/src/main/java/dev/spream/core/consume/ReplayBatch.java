package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.DataChangeRecord;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Letters handed to a {@link BatchConsumer} in one call. */
final class ReplayBatch implements BatchConsumer.Batch {
    private final List<StoredDeadLetter> letters;
    private final BitSet settled;
    private final @Nullable Throwable[] failures;

    ReplayBatch(List<StoredDeadLetter> letters) {
        this.letters = letters;
        this.settled = new BitSet(letters.size());
        this.failures = new Throwable[letters.size()];
    }

    @Override
    public List<DataChangeRecord> changes() {
        return letters.stream().map(StoredDeadLetter::change).toList();
    }

    @Override
    public Delivery delivery(int index) {
        return deliveryOf(letters.get(index));
    }

    static Delivery deliveryOf(StoredDeadLetter letter) {
        int attempt =
                1 + letter.failure().map(StoredDeadLetter.Failure::attempts).orElse(0);
        return Delivery.ofReplay(letter.partition(), attempt);
    }

    @Override
    public void settle(int index) {
        settled.set(Objects.checkIndex(index, letters.size()));
        failures[index] = null;
    }

    @Override
    public void fail(int index, Throwable cause) {
        Objects.checkIndex(index, letters.size());
        if (settled.get(index)) {
            throw new IllegalStateException(
                    "change %d of the batch is settled; it cannot fail any more".formatted(index));
        }
        failures[index] = requireNonNull(cause, "cause");
    }

    int size() {
        return letters.size();
    }

    boolean isSettled(int index) {
        return settled.get(index);
    }

    /** Returns the consumer's failure on a change; null if there was none. */
    @Nullable
    Throwable failure(int index) {
        return failures[index];
    }
}

package dev.spream.storage.spanner;

import dev.spream.core.partition.PartitionToken;
import java.util.Set;
import java.util.function.Function;

/**
 * A write of the storage, which runs inside a transaction together with others. It may run several times, because Spanner
 * aborts and repeats transactions, and says no before it changes anything: with an IllegalArgumentException, its caller's
 * alone.
 *
 * @param what for messages, such as "advancing 3 watermarks"
 * @param partitions the partitions it looks at, which are read before it runs
 * @param weight about how many rows it writes
 * @param alone whether it wants a transaction of its own, because it reads more than those partitions
 * @param rowByRow whether it deals with each partition for itself, so that it can be divided
 * @param work what it does, and its result
 */
record WriteOperation<T>(
        String what,
        Set<PartitionToken> partitions,
        int weight,
        boolean alone,
        boolean rowByRow,
        Function<WriteTransaction, T> work) {

    /** An operation on some partitions, to be written together with others. */
    static <T> WriteOperation<T> on(String what, Set<PartitionToken> partitions, Function<WriteTransaction, T> work) {
        return new WriteOperation<>(what, Set.copyOf(partitions), Math.max(1, partitions.size()), false, false, work);
    }

    /** An operation on each of some partitions for itself. */
    static <T> WriteOperation<T> each(String what, Set<PartitionToken> partitions, Function<WriteTransaction, T> work) {
        return new WriteOperation<>(what, Set.copyOf(partitions), Math.max(1, partitions.size()), false, true, work);
    }

    boolean isDivisible() {
        return rowByRow && partitions.size() > 1;
    }

    /** An operation for a transaction of its own. */
    static <T> WriteOperation<T> alone(String what, Function<WriteTransaction, T> work) {
        return new WriteOperation<>(what, Set.of(), 1, true, false, work);
    }
}

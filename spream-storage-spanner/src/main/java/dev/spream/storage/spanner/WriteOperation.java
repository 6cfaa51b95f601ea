package dev.spream.storage.spanner;

import dev.spream.core.partition.PartitionToken;
import java.util.Set;
import java.util.function.Function;

/**
 * A write of the storage, which is executed in a transaction together with others. It may be executed several times,
 * because Spanner aborts and repeats transactions. It rejects invalid arguments before it changes anything, by an
 * IllegalArgumentException that only its caller gets.
 *
 * @param what the name of the operation in messages, such as "advancing 3 watermarks"
 * @param partitions the partitions that it reads, which are loaded before
 * @param weight the approximate number of rows that it writes
 * @param alone whether it needs a transaction of its own, because it reads more than those partitions
 * @param rowByRow whether it writes each partition independently, so that it can be divided
 * @param work the code that executes it and returns its result
 */
record WriteOperation<T>(
        String what,
        Set<PartitionToken> partitions,
        int weight,
        boolean alone,
        boolean rowByRow,
        Function<WriteTransaction, T> work) {

    /** Returns an operation on some partitions, to be executed together with others. */
    static <T> WriteOperation<T> on(String what, Set<PartitionToken> partitions, Function<WriteTransaction, T> work) {
        return new WriteOperation<>(what, Set.copyOf(partitions), Math.max(1, partitions.size()), false, false, work);
    }

    /** Returns an operation on each of some partitions independently. */
    static <T> WriteOperation<T> each(String what, Set<PartitionToken> partitions, Function<WriteTransaction, T> work) {
        return new WriteOperation<>(what, Set.copyOf(partitions), Math.max(1, partitions.size()), false, true, work);
    }

    boolean isDivisible() {
        return rowByRow && partitions.size() > 1;
    }

    /** Returns an operation for a transaction of its own. */
    static <T> WriteOperation<T> alone(String what, Function<WriteTransaction, T> work) {
        return new WriteOperation<>(what, Set.of(), 1, true, false, work);
    }
}

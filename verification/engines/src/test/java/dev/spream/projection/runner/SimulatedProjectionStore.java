package dev.spream.projection.runner;

import dev.spream.core.StorageException;
import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.projection.ProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * A store as a process of a simulation sees it: calls take time, and while there is trouble some fail, before they did anything
 * or after.
 */
final class SimulatedProjectionStore extends ForwardingProjectionStore<Transaction> {
    private final SimulatedProcess process;
    private final SplittableRandom random;
    private final BooleanSupplier troubled;
    private final Runnable afterwards;
    private final long latency;
    private int inside;

    /**
     * A store for that process.
     *
     * @param latency of a call in each direction, at most, in nanoseconds
     * @param afterwards called when the store may have changed
     */
    SimulatedProjectionStore(
            ProjectionStore<Transaction> store,
            SimulatedProcess process,
            SplittableRandom random,
            BooleanSupplier troubled,
            long latency,
            Runnable afterwards) {
        super(store);
        this.process = process;
        this.random = random;
        this.troubled = troubled;
        this.latency = latency;
        this.afterwards = afterwards;
    }

    /**
     * Returns whether a thread is in the database now; the process must not be killed then, since the transaction would
     * not be rolled back.
     */
    boolean isInside() {
        return inside > 0;
    }

    @Override
    protected <V> V call(String operation, Callable<V> call) throws Exception {
        process.sleepUninterruptibly(random.nextLong(latency + 1));
        int trouble = troubled.getAsBoolean() ? random.nextInt(25) : -1;
        if (trouble == 0) {
            throw new StorageException(operation + " did not reach the store", true, null);
        }
        V result;
        inside++;
        try {
            result = call.call();
        } finally {
            inside--;
            afterwards.run();
        }
        process.sleepUninterruptibly(random.nextLong(latency + 1));
        if (trouble == 1) {
            throw new StorageException("the confirmation of " + operation + " was lost", true, null);
        }
        return result;
    }
}

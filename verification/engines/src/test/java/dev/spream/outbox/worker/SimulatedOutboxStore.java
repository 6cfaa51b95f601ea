package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStore;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A store as a process of a simulation sees it: calls take time, and while there is trouble some fail, before they did anything
 * or after.
 */
final class SimulatedOutboxStore extends ForwardingOutboxStore {
    private final SimulatedProcess process;
    private final SplittableRandom random;
    private final BooleanSupplier troubled;
    private final Runnable afterwards;
    private final long latency;

    /**
     * A store for that process.
     *
     * @param latency of a call in each direction, at most, in nanoseconds
     * @param afterwards called when the store has changed
     */
    SimulatedOutboxStore(
            OutboxStore store,
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

    /** Offers room only while the process runs, and starts entries on a thread of it. */
    @Override
    public Watch watch(Watcher watcher) {
        return super.watch(new Watcher() {
            @Override
            public void wake() {
                watcher.wake();
            }

            @Override
            public Optional<ClaimRoom> reserve(String destination, int limit) {
                return process.isHeldUp()
                        ? Optional.empty()
                        : watcher.reserve(destination, limit).map(room -> new ProcessRoom(room, process));
            }
        });
    }

    private record ProcessRoom(ClaimRoom room, SimulatedProcess process) implements ClaimRoom {
        @Override
        public OutboxOwner owner() {
            return room.owner();
        }

        @Override
        public Duration lease() {
            return room.lease();
        }

        @Override
        public int size() {
            return room.size();
        }

        @Override
        public void hold(List<OutboxClaim> claims) {
            room.hold(claims);
        }

        @Override
        public boolean start() {
            process.start("enqueue", room::start);
            return true;
        }

        @Override
        public void close() {
            room.close();
        }
    }

    @Override
    protected <T> T call(String operation, Supplier<T> call) {
        process.sleepUninterruptibly(random.nextLong(latency + 1));
        int trouble = troubled.getAsBoolean() ? random.nextInt(20) : -1;
        if (trouble == 0) {
            throw new StorageException(operation + " did not reach the store", true, null);
        }
        T result = call.get();
        afterwards.run();
        process.sleepUninterruptibly(random.nextLong(latency + 1));
        if (trouble == 1) {
            throw new StorageException("the confirmation of " + operation + " was lost", true, null);
        }
        return result;
    }
}

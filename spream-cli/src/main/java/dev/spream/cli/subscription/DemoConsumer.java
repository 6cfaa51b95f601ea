package dev.spream.cli.subscription;

import dev.spream.cli.subscription.DemoCheck.BalanceChange;
import dev.spream.cli.subscription.DemoCheck.Delivered;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Prints changes after a simulated processing time, and records the balances with their order and with concurrent
 * changes of the same account. Safe for use by many threads.
 */
final class DemoConsumer implements Consumer {
    private static final long MAX_WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    // So long that the next change of the account often comes meanwhile, and overtakes it where nothing keeps the
    // order.
    private static final long SLOW_WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int ONE_IN_SO_MANY_IS_SLOW = 8;

    private final LimitedOutput lines;
    private final boolean someAreSlow;

    // Guarded by this.
    private final List<Delivered> started = new ArrayList<>();
    private final List<Delivered> delivered = new ArrayList<>();

    /**
     * @param someAreSlow whether some changes take much longer than others, which only dependent changes should notice
     */
    DemoConsumer(LimitedOutput lines, boolean someAreSlow) {
        this.lines = lines;
        this.someAreSlow = someAreSlow;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        List<Delivered> balances = start(change, delivery.partition().value());
        boolean done = false;
        try {
            work();
            lines.consume(change, delivery);
            done = true;
        } finally {
            end(balances, done);
        }
    }

    private void work() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        boolean slow = someAreSlow && random.nextInt(ONE_IN_SO_MANY_IS_SLOW) == 0;
        LockSupport.parkNanos(slow ? SLOW_WORK_NANOS : random.nextLong(MAX_WORK_NANOS));
    }

    private synchronized List<Delivered> start(DataChangeRecord change, String partition) {
        List<Delivered> balances = change.mods().stream()
                .map(mod -> delivered(balance(change, mod), partition))
                .toList();
        started.addAll(balances);
        return balances;
    }

    private Delivered delivered(BalanceChange change, String partition) {
        Optional<String> alongside = started.stream()
                .filter(other -> other.change().account().equals(change.account()))
                .map(Delivered::partition)
                .findFirst();
        return new Delivered(change, partition, alongside);
    }

    private synchronized void end(List<Delivered> balances, boolean done) {
        balances.forEach(started::remove);
        if (done) {
            delivered.addAll(balances);
        }
    }

    @Override
    public void flush() throws Exception {
        lines.flush();
    }

    synchronized List<Delivered> delivered() {
        return List.copyOf(delivered);
    }

    private static BalanceChange balance(DataChangeRecord change, Mod mod) {
        return new BalanceChange(
                mod.keys().string("AccountId").orElse(""),
                change.commitTimestamp(),
                mod.newValues().int64("Balance").orElse(-1));
    }
}

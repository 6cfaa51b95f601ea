package dev.spream.cli;

import dev.spream.cli.DemoCheck.BalanceChange;
import dev.spream.cli.DemoCheck.Delivered;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Prints changes, and remembers the balances in them in the order in which they came. Safe for use by many threads. */
final class DemoConsumer implements Consumer {
    private final JsonLines lines;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Delivered> delivered = new ArrayList<>(); // guarded by lock

    DemoConsumer(JsonLines lines) {
        this.lines = lines;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        lines.consume(change, delivery);
        lock.lock();
        try {
            change.mods()
                    .forEach(mod -> delivered.add(new Delivered(
                            balance(change, mod), delivery.partition().value())));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws Exception {
        lines.flush();
    }

    List<Delivered> delivered() {
        lock.lock();
        try {
            return List.copyOf(delivered);
        } finally {
            lock.unlock();
        }
    }

    private static BalanceChange balance(DataChangeRecord change, Mod mod) {
        return new BalanceChange(
                mod.keys().string("AccountId").orElse(""),
                change.commitTimestamp(),
                mod.newValues().int64("Balance").orElse(-1));
    }
}

package dev.spream.cli.panel;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.function.BooleanSupplier;

/**
 * A consumer that takes no more calls once it is told to stop, because the sink behind it may swallow an interrupt. It
 * then throws {@link InterruptedException}.
 */
final class StoppableConsumer {
    private StoppableConsumer() {}

    static Consumer of(Consumer sink, BooleanSupplier stopping) {
        return sink instanceof BatchConsumer together ? new Batches(together, stopping) : new Single(sink, stopping);
    }

    private record Single(Consumer sink, BooleanSupplier stopping) implements Consumer {
        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            requireRunning(stopping);
            sink.consume(change, delivery);
        }

        @Override
        public void flush() throws Exception {
            sink.flush();
        }
    }

    private record Batches(BatchConsumer sink, BooleanSupplier stopping) implements BatchConsumer {
        @Override
        public void consume(Batch batch) throws Exception {
            requireRunning(stopping);
            sink.consume(batch);
        }

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            requireRunning(stopping);
            sink.consume(change, delivery);
        }

        @Override
        public void flush() throws Exception {
            sink.flush();
        }
    }

    private static void requireRunning(BooleanSupplier stopping) throws InterruptedException {
        if (stopping.getAsBoolean()) {
            throw new InterruptedException("the replay was told to stop");
        }
    }
}

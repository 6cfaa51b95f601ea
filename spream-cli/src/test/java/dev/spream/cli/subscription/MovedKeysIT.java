package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.cli.subscription.DemoCheck.Delivered;
import dev.spream.cli.subscription.DemoCheck.Verdict;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.testkit.subscription.MappedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The check of the demo notices an engine that does not wait where key ranges moved in. */
@Tag("proof")
final class MovedKeysIT {
    private static final int TRANSACTIONS = 300;
    private static final int LEAST_MOVES = 20;

    private final AtomicInteger moves = new AtomicInteger();

    @Test
    void without_the_events_of_moves_the_check_sees_changes_out_of_order() throws Exception {
        assertThat(read(true).outOfOrder()).isPositive();
    }

    @Test
    void with_the_events_it_sees_none() throws Exception {
        Verdict verdict = read(false);

        assertThat(verdict.outOfOrder()).isZero();
        assertThat(verdict.lost()).isZero();
        assertThat(moves).hasValueGreaterThan(LEAST_MOVES);
    }

    private Verdict read(boolean withoutEvents) throws Exception {
        TransferWorkload workload = new TransferWorkload(7);
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(7)
                        .churn(PartitionChurn.every(Duration.ofMillis(100)))
                        .start();
                DemoDatabase database = DemoDatabase.create(
                        emulator.emulatorHost(),
                        Dialect.GOOGLE_STANDARD_SQL,
                        PartitionMode.MUTABLE_KEY_RANGE,
                        workload);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(database.name()))
                        .emulatorHost(emulator.emulatorHost())
                        .open();
                SpannerChangeStreamSource source =
                        SpannerChangeStreamSource.open(connection.client(), DemoDatabase.STREAM);
                var running = Executors.newSingleThreadExecutor()) {
            Recorder recorder = new Recorder();
            Instant start = database.serverTime();
            Subscriber subscriber = Subscriber.builder(
                            new MappedSource(source, record -> counted(record, withoutEvents)),
                            new InMemoryPartitionStorage())
                    .options(options -> options.maxInflight(64).startAt(start))
                    .build();
            Future<?> run = running.submit(() -> subscriber.run(recorder));
            workload.run(database.client(), TRANSACTIONS, Duration.ofMillis(5), Duration.ofMinutes(5));
            recorder.await(2 * TRANSACTIONS);
            subscriber.shutdown(Duration.ofMinutes(1));
            run.get(1, TimeUnit.MINUTES);
            return DemoCheck.judge(workload.committed(), recorder.delivered(), (earlier, later) -> true);
        }
    }

    /** Slow now and then, so that changes of a source are in flight while those of its destination arrive. */
    private static final class Recorder implements Consumer {
        private final List<Delivered> delivered = new ArrayList<>(); // guarded by this

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws InterruptedException {
            if (Math.floorMod(change.identity().hashCode(), 4) == 0) {
                TimeUnit.MILLISECONDS.sleep(150);
            }
            synchronized (this) {
                for (Mod mod : change.mods()) {
                    delivered.add(new Delivered(
                            new DemoCheck.BalanceChange(
                                    mod.keys().string("AccountId").orElseThrow(),
                                    change.commitTimestamp(),
                                    mod.newValues().int64("Balance").orElseThrow()),
                            delivery.partition().value(),
                            Optional.empty()));
                }
                notifyAll();
            }
        }

        synchronized void await(int count) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (delivered.size() < count) {
                long left = (deadline - System.nanoTime()) / 1_000_000;
                assertThat(left)
                        .as("%d of %d delivered", delivered.size(), count)
                        .isPositive();
                wait(left);
            }
        }

        synchronized List<Delivered> delivered() {
            return List.copyOf(delivered);
        }
    }

    private Optional<ChangeRecord> counted(ChangeRecord record, boolean withoutEvents) {
        if (!(record instanceof PartitionEventRecord event)) {
            return Optional.of(record);
        }
        moves.addAndGet(event.moveInSources().size());
        return withoutEvents ? Optional.empty() : Optional.of(record);
    }
}

package dev.spream.api.buffer;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.testkit.subscription.MappedSource;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine with its buffer on disk, and a transaction that is larger than the memory that it may take. */
@Isolated("it measures the heap")
final class LargeTransactionTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int VALUE_BYTES = 1 << 17;

    /** More than the budget, the caches of the store and one value in several forms. */
    private static final long MAX_HEAP_BYTES = 24L * MEGABYTE;

    @TempDir
    private Path folder;

    private final AtomicLong valueBytes = new AtomicLong();
    private final AtomicLong heapBytes = new AtomicLong();
    private final AtomicLong fileBytes = new AtomicLong();

    @Test
    void a_large_transaction_takes_little_memory() throws Exception {
        int megabytes = Integer.getInteger("transaction.megabytes", 48);
        int changes = megabytes * (MEGABYTE / VALUE_BYTES);
        ScriptedSource script = new ScriptedSource().roots("p", "q");
        for (int i = 0; i < changes; i++) {
            script.add(i % 2 == 0 ? "p" : "q", change(i, changes));
        }
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(START)
                .endAt(at(9))
                .maxInflight(4)
                .heartbeatInterval(Duration.ofSeconds(10))
                .maxBufferedBytes(2 * SubscriberOptions.MIN_MAX_BUFFERED_BYTES)
                .transactionBuffer(() -> new DiskChangeBuffer(folder))
                .build();
        long before = usedHeap();
        try (Subscriber subscriber = Subscriber.builder(
                        new MappedSource(script, LargeTransactionTest::filled), new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            assertThat(subscriber.run((TransactionConsumer) this::consume)).isEqualTo(CompletionReason.COMPLETED);
        }

        assertThat(valueBytes).hasValue((long) megabytes * MEGABYTE);
        assertThat(fileBytes.get()).isPositive();
        assertThat(heapBytes.get() - before).isLessThan(MAX_HEAP_BYTES);
        assertThat(folder).isEmptyDirectory();
    }

    private void consume(Transaction transaction) throws IOException {
        assertThat(transaction.isComplete()).isTrue();
        int number = 0;
        for (DataChangeRecord change : transaction.changes()) {
            assertThat(change.recordSequence()).isEqualTo("%08d".formatted(number));
            valueBytes.addAndGet(change.mods()
                    .getFirst()
                    .newValues()
                    .string("Value")
                    .orElseThrow()
                    .length());
            number++;
        }
        try (Stream<Path> files = Files.list(folder)) {
            fileBytes.set(files.mapToLong(LargeTransactionTest::sizeOf).sum());
        }
        heapBytes.set(usedHeap());
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static DataChangeRecord change(int number, int changes) {
        DataChangeRecord change = ScriptedSource.newChange(1, "key " + number, "t1");
        return new DataChangeRecord(
                change.commitTimestamp(),
                "%08d".formatted(number),
                "t1",
                true,
                change.tableName(),
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                changes,
                2,
                "",
                false);
    }

    /** Gives a row a large value when it is read. */
    private static Optional<ChangeRecord> filled(ChangeRecord record) {
        if (!(record instanceof DataChangeRecord change)) {
            return Optional.of(record);
        }
        String value = Character.toString('a' + Integer.parseInt(change.recordSequence()) % 26)
                .repeat(VALUE_BYTES);
        return Optional.of(change.with(
                change.columnTypes(),
                List.of(new Mod(
                        change.mods().getFirst().keys(), JsonObject.of(Map.of("Value", value)), JsonObject.EMPTY))));
    }
}

package dev.spream.core.subscription.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TransactionAssemblerTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    private volatile Runnable inDelivery = () -> {};
    private final AtomicInteger spilled = new AtomicInteger();
    private final TransactionAssembler assembler = new TransactionAssembler(
            new TransactionAssembler.Settings("Orders", false, true, 4, 1 << 20),
            (transaction, control) -> {
                inDelivery.run();
                delivered.add(transaction.id() + (transaction.missing().isEmpty() ? " whole" : " incomplete"));
                return true;
            },
            new CountingBuffer(),
            MonotonicTime.SYSTEM,
            failure -> delivered.add(failure.toString()));

    @Test
    void a_partition_that_is_stopping_has_been_read_up_to_its_watermark_only() throws InterruptedException {
        Source p = new Source("p");
        Source q = new Source("q");
        assembler.begin(p);
        assembler.begin(q);
        assembler.observe(Lineage.of(List.of(), START));
        assertThat(assembler.submit(p, change("0"), START.plusSeconds(1), Set.of()))
                .isTrue();
        p.stopping = true;
        assembler.stop(p);
        assertThat(assembler.submit(q, change("1"), START.plusSeconds(1), Set.of()))
                .isTrue();

        assembler.readUpTo(p, START.plusSeconds(5)); // its reader may still handle a record
        assembler.readToEnd(p);
        assembler.readUpTo(q, START.plusSeconds(5));

        Source again = new Source("p");
        assembler.begin(again);
        assertThat(assembler.submit(again, change("0"), START.plusSeconds(1), Set.of()))
                .isTrue();
        assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("t1 whole");
    }

    @Test
    void a_transaction_at_an_added_snapshot_does_not_wait_for_its_rows() throws InterruptedException {
        Source p = new Source("p");
        PartitionToken rows = new PartitionToken(PartitionToken.ADDED_SNAPSHOT + "x");
        assembler.begin(p);
        assembler.observe(Lineage.of(
                List.of(PartitionMetadata.created(
                        rows, List.of(PartitionToken.SNAPSHOT_CHANGES), START.plusSeconds(1), START)),
                START));
        assertThat(assembler.submit(p, change("0"), START.plusSeconds(1), Set.of()))
                .isTrue();

        assembler.readToEnd(p); // at the time of the snapshot, which is claimed once everything of p is settled

        assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("t1 incomplete");
    }

    @Test
    void a_failure_to_settle_a_transaction_is_reported() throws InterruptedException {
        Source p = new Source("p");
        assembler.begin(p);
        inDelivery = () -> p.failsToSettle = true;
        assembler.submit(p, change("0"), START.plusSeconds(1), Set.of());
        assembler.submit(p, change("1"), START.plusSeconds(1), Set.of());

        assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("t1 whole");
        assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("java.lang.OutOfMemoryError: settling");
    }

    @Test
    void the_keys_of_a_change_count_for_the_memory() throws InterruptedException {
        Source p = new Source("p");
        assembler.begin(p);
        assembler.observe(Lineage.of(List.of(), START));
        Set<String> keys = IntStream.range(0, 3000).mapToObj(Integer::toString).collect(Collectors.toSet());
        assembler.submit(p, change("0"), START.plusSeconds(1), Set.of("key"));
        assertThat(spilled.get()).isZero();

        assembler.submit(p, change("1"), START.plusSeconds(1), keys);

        assertThat(spilled.get()).isEqualTo(1);
    }

    private static DataChangeRecord change(String sequence) {
        return new DataChangeRecord(
                START.plusSeconds(1),
                sequence,
                "t1",
                true,
                "Accounts",
                List.of(),
                List.of(new Mod(JsonObject.of(Map.of("Id", sequence)), JsonObject.EMPTY, JsonObject.EMPTY)),
                "UPDATE",
                "NEW_VALUES",
                2,
                2,
                "",
                false);
    }

    private final class CountingBuffer implements ChangeBuffer {
        private final MemoryBuffer memory = new MemoryBuffer();

        @Override
        public long add(DataChangeRecord change) {
            spilled.incrementAndGet();
            return memory.add(change);
        }

        @Override
        public DataChangeRecord read(long id) {
            return memory.read(id);
        }

        @Override
        public void remove(Collection<Long> ids) {
            memory.remove(ids);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private static final class Source implements TransactionSource {
        private final HeldPartition partition;
        private volatile boolean stopping;
        private volatile boolean failsToSettle;

        Source(String token) {
            this.partition = new HeldPartition(
                    new PartitionLease(new PartitionToken(token), new WorkerId("worker"), 1, START),
                    InflightTracker.unlimited(token, START),
                    LocalLease.requested(MonotonicTime.SYSTEM, Duration.ofHours(1)));
        }

        @Override
        public HeldPartition partition() {
            if (failsToSettle && Thread.currentThread().isVirtual()) {
                throw new OutOfMemoryError("settling");
            }
            return partition;
        }

        @Override
        public boolean isStopping() {
            return stopping;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void settled() {
            // Nothing follows.
        }

        @Override
        public void checkHeld() {
            // It is held.
        }
    }
}

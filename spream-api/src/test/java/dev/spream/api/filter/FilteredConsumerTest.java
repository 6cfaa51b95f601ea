package dev.spream.api.filter;

import static dev.spream.api.filter.FilterChanges.DELIVERY;
import static dev.spream.api.filter.FilterChanges.changed;
import static dev.spream.api.filter.FilterChanges.mod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.ModType;
import java.io.IOException;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class FilteredConsumerTest {
    private static final ChangeFilter FILTER = ChangeFilter.builder()
            .tables("Orders", "Stock*")
            .columns("Orders.Status")
            .modTypes(ModType.INSERT, ModType.UPDATE)
            .build();

    @Test
    void filtered_changes_are_counted_and_never_reach_the_consumer() throws Exception {
        List<DataChangeRecord> seen = new ArrayList<>();
        try (FilteredConsumer consumer = FILTER.before((change, delivery) -> seen.add(change))) {
            DataChangeRecord passing = changed(1, "Stock", "INSERT", mod("1", "{}", "{}"));
            consumer.consume(passing, DELIVERY);
            consumer.consume(changed(2, "Stock", "DELETE", mod("1", "{}", "{}")), DELIVERY);
            consumer.consume(changed(3, "Other", "INSERT", mod("1", "{}", "{}")), DELIVERY);
            assertThat(seen).containsExactly(passing);
            assertThat(consumer.filtered()).isEqualTo(2);
            assertThat(consumer).isNotInstanceOf(BatchConsumer.class);
        }
    }

    @Test
    void of_a_transaction_what_passes_reaches_the_consumer_in_one_call() throws Exception {
        List<DataChangeRecord> seen = new ArrayList<>();
        List<Transaction> calls = new ArrayList<>();
        DataChangeRecord passing = changed(2, "Stock", "INSERT", mod("1", "{}", "{}"));
        try (FilteredConsumer consumer = FILTER.before((TransactionConsumer) transaction -> {
            calls.add(transaction);
            seen.addAll(transaction.changes());
            assertThat(transaction.delivery(0).attempt()).isEqualTo(2);
        })) {
            assertThat(consumer).isInstanceOf(TransactionConsumer.class);
            TransactionConsumer whole = (TransactionConsumer) consumer;
            whole.consume(new Whole(List.of(changed(1, "Other", "INSERT", mod("1", "{}", "{}")), passing)));
            whole.consume(new Whole(List.of(changed(3, "Other", "INSERT", mod("1", "{}", "{}")))));

            assertThat(consumer.filtered()).isEqualTo(2);
        }
        assertThat(calls).hasSize(1);
        assertThat(seen).containsExactly(passing);
    }

    @Test
    void changes_that_pass_of_a_transaction_are_read_again_and_not_kept() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        DataChangeRecord passing = changed(2, "Stock", "INSERT", mod("1", "{}", "{}"));
        List<DataChangeRecord> onDisk = new AbstractList<>() {
            @Override
            public DataChangeRecord get(int index) {
                reads.incrementAndGet();
                return passing;
            }

            @Override
            public int size() {
                return 3;
            }
        };
        try (FilteredConsumer consumer = FILTER.before((TransactionConsumer) transaction -> {
            int before = reads.get();
            assertThat(transaction.changes()).hasSize(3);
            assertThat(transaction.changes().get(2)).isEqualTo(passing);
            assertThat(reads).hasValueGreaterThan(before);
        })) {
            ((TransactionConsumer) consumer).consume(new Whole(onDisk));
        }
    }

    /** A transaction whose changes have their places as attempts. */
    private record Whole(List<DataChangeRecord> changes) implements Transaction {
        @Override
        public String serverTransactionId() {
            return "t1";
        }

        @Override
        public Instant commitTimestamp() {
            return changes.getFirst().commitTimestamp();
        }

        @Override
        public String transactionTag() {
            return "";
        }

        @Override
        public boolean isSystemTransaction() {
            return false;
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public Delivery delivery(int index) {
            return new Delivery(new PartitionToken("p"), 1, index + 1, Optional.empty(), Optional.empty());
        }
    }

    @Test
    void a_failure_of_the_consumer_is_handed_on() throws Exception {
        try (FilteredConsumer consumer = FILTER.before((change, delivery) -> {
            throw new IOException("unreachable");
        })) {
            assertThatThrownBy(() -> consumer.consume(changed(1, "Stock", "INSERT", mod("1", "{}", "{}")), DELIVERY))
                    .isInstanceOf(IOException.class)
                    .hasMessage("unreachable");
        }
    }

    @Test
    void flush_and_close_reach_the_consumer_in_both_shapes() throws Exception {
        Remembering plain = new Remembering();
        try (FilteredConsumer consumer = FILTER.before(plain)) {
            consumer.flush();
        }
        assertThat(plain.calls).containsExactly("flush", "close");

        RememberingBatches batches = new RememberingBatches();
        try (FilteredConsumer consumer = FILTER.before(batches)) {
            assertThat(consumer).isInstanceOf(BatchConsumer.class);
            consumer.flush();
        }
        assertThat(batches.calls).containsExactly("flush", "close");
    }

    @Test
    void a_batch_of_which_nothing_is_left_is_settled_without_a_call() throws Exception {
        RememberingBatches batches = new RememberingBatches();
        try (FilteredConsumer consumer = FILTER.before(batches)) {
            RecordedBatch batch = new RecordedBatch(List.of(
                    changed(1, "Other", "INSERT", mod("1", "{}", "{}")),
                    changed(2, "Other", "INSERT", mod("2", "{}", "{}"))));
            ((BatchConsumer) consumer).consume(batch);
            assertThat(batch.outcomes).isEqualTo(new TreeMap<>(Map.of(0, "settled", 1, "settled")));
        }
        assertThat(batches.calls).containsExactly("close");
    }

    @Test
    void a_transaction_of_which_some_changes_pass_is_still_one() throws Exception {
        List<Boolean> transactions = new ArrayList<>();
        BatchConsumer noting = batch -> transactions.add(batch.isTransaction());
        try (FilteredConsumer consumer = FILTER.before(noting)) {
            RecordedBatch batch = new RecordedBatch(anyChanges());
            ((BatchConsumer) consumer).consume(batch);
            batch.isTransaction = true;
            ((BatchConsumer) consumer).consume(batch);
        }
        assertThat(transactions).containsExactly(false, true);
    }

    private static List<DataChangeRecord> anyChanges() {
        Random random = new Random(1);
        return IntStream.range(0, 50)
                .mapToObj(second -> anyChange(second, random))
                .toList();
    }

    /** A batch and its changes one by one are filtered alike, with the same effect on their settlement. */
    @Test
    void a_batch_is_filtered_as_its_changes_are_one_by_one() throws Exception {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            List<DataChangeRecord> changes = IntStream.range(0, 1 + random.nextInt(12))
                    .mapToObj(second -> anyChange(second, random))
                    .toList();
            List<DataChangeRecord> seenAlone = new ArrayList<>();
            TreeMap<Integer, String> outcomesAlone = new TreeMap<>();
            try (FilteredConsumer alone = FILTER.before((change, delivery) -> {
                seenAlone.add(change);
                assertThat(delivery.epoch()).isEqualTo(second(change));
                if (isBad(change)) {
                    throw new IOException("bad " + second(change));
                }
            })) {
                for (int i = 0; i < changes.size(); i++) {
                    outcomesAlone.put(i, outcome(alone, changes.get(i), i));
                }

                List<DataChangeRecord> seenTogether = new ArrayList<>();
                RecordedBatch batch = new RecordedBatch(changes);
                BatchConsumer judging = each -> {
                    for (int i = 0; i < each.changes().size(); i++) {
                        DataChangeRecord change = each.changes().get(i);
                        seenTogether.add(change);
                        assertThat(each.delivery(i).epoch()).isEqualTo(second(change));
                        if (isBad(change)) {
                            each.fail(i, new IOException("bad " + second(change)));
                        } else {
                            each.settle(i);
                        }
                    }
                };
                try (FilteredConsumer together = FILTER.before(judging)) {
                    ((BatchConsumer) together).consume(batch);
                    assertThat(seenTogether).as("seed %d", seed).isEqualTo(seenAlone);
                    assertThat(batch.outcomes).as("seed %d", seed).isEqualTo(outcomesAlone);
                    assertThat(together.filtered()).as("seed %d", seed).isEqualTo(alone.filtered());
                }
            }
        }
    }

    private static String outcome(Consumer consumer, DataChangeRecord change, int epoch) {
        try {
            consumer.consume(change, new Delivery(DELIVERY.partition(), epoch, 1, Optional.empty(), Optional.empty()));
            return "settled";
        } catch (Exception e) {
            return "failed: " + e.getMessage();
        }
    }

    private static DataChangeRecord anyChange(long second, Random random) {
        String table = List.of("Orders", "Stock", "StockItems", "Other").get(random.nextInt(4));
        String modType = List.of("INSERT", "UPDATE", "DELETE").get(random.nextInt(3));
        String values = List.of("{}", "{\"Status\":\"a\"}", "{\"Total\":\"1\"}", "{\"Status\":null,\"Note\":\"b\"}")
                .get(random.nextInt(4));
        return changed(second, table, modType, mod("1", values, "{}"), mod("2", "{\"Total\":\"2\"}", "{}"));
    }

    private static long second(DataChangeRecord change) {
        return change.commitTimestamp().getEpochSecond() % 60;
    }

    private static boolean isBad(DataChangeRecord change) {
        return second(change) % 3 == 1;
    }

    private static final class RecordedBatch implements BatchConsumer.Batch {
        private final List<DataChangeRecord> changes;
        private final TreeMap<Integer, String> outcomes = new TreeMap<>();
        private boolean isTransaction;

        RecordedBatch(List<DataChangeRecord> changes) {
            this.changes = changes;
        }

        @Override
        public List<DataChangeRecord> changes() {
            return changes;
        }

        @Override
        public Delivery delivery(int index) {
            return new Delivery(new PartitionToken("partition-a"), index, 1, Optional.empty(), Optional.empty());
        }

        @Override
        public boolean isTransaction() {
            return isTransaction;
        }

        @Override
        public void settle(int index) {
            outcomes.put(index, "settled");
        }

        @Override
        public void fail(int index, Throwable cause) {
            outcomes.put(index, "failed: " + cause.getMessage());
        }
    }

    private static final class Remembering implements Consumer, AutoCloseable {
        private final List<String> calls = new ArrayList<>();

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) {
            calls.add("consume");
        }

        @Override
        public void flush() {
            calls.add("flush");
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private static final class RememberingBatches implements BatchConsumer, AutoCloseable {
        private final List<String> calls = new ArrayList<>();

        @Override
        public void consume(Batch batch) {
            calls.add("consume");
        }

        @Override
        public void flush() {
            calls.add("flush");
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }
}

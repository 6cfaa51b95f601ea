package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random transactions over partitions that split, read by runs of which most fail in the middle: each transaction arrives
 * whole before it arrives in part, those of one key in commit order, and in commit order all of them.
 */
class RandomTransactionsTest {
    private static final int SEEDS = Integer.getInteger("transaction.histories", 20);
    private static final int END = 40;
    private static final int KEYS = 8;

    /** A transaction as it was delivered in a run. */
    private record Seen(int run, long second, String id, boolean complete, List<String> sequences, Set<String> keys) {}

    @ParameterizedTest
    @EnumSource(names = {"WHOLE", "COMMIT_ORDER"})
    void every_transaction_arrives_whole_and_in_order(TransactionMode mode) throws InterruptedException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            check(mode, seed);
        }
    }

    private static void check(TransactionMode mode, long seed) throws InterruptedException {
        Random random = new Random(seed);
        SubscriberFixture fixture = new SubscriberFixture();
        fixture.storage = new InMemoryPartitionStorage();
        Map<String, Seen> written = write(random, fixture.source);
        List<Seen> seen = new CopyOnWriteArrayList<>();
        int[] runs = {0};
        boolean completed = false;
        while (!completed) {
            int run = ++runs[0];
            long failAfter = run > 8 ? Long.MAX_VALUE : random.nextInt(12);
            int before = seen.size();
            try {
                completed = fixture.run(
                                fixture.subscriber(options -> options.endAt(at(END))
                                        .maxInflight(1 + random.nextInt(6))
                                        .transactionMode(mode)),
                                (TransactionConsumer) transaction -> {
                                    if (seen.size() - before >= failAfter) {
                                        throw new IOException("the run is to end");
                                    }
                                    seen.add(seen(run, transaction));
                                })
                        == CompletionReason.COMPLETED;
            } catch (ConsumerException e) {
                assertThat(run).isLessThanOrEqualTo(8);
            }
        }

        assertThat(seen.stream().map(Seen::id).toList()).as("seed %d", seed).containsAll(written.keySet());
        Set<String> whole = new HashSet<>();
        for (Seen transaction : seen) {
            if (transaction.complete()) {
                whole.add(transaction.id());
                assertThat(transaction.sequences())
                        .as("seed %d, %s", seed, transaction.id())
                        .isEqualTo(requireNonNull(written.get(transaction.id())).sequences());
            } else {
                assertThat(whole).as("seed %d: delivered before", seed).contains(transaction.id());
            }
        }
        Map<String, Seen> latest = new HashMap<>();
        for (Seen transaction : seen) {
            Set<String> lanes = mode == TransactionMode.COMMIT_ORDER ? Set.of("all") : transaction.keys();
            for (String lane : lanes) {
                Seen before = latest.put(lane, transaction);
                if (before != null && before.run() == transaction.run()) {
                    assertThat(transaction.second())
                            .as("seed %d: %s after %s", seed, transaction, before)
                            .isGreaterThanOrEqualTo(before.second());
                }
            }
        }
    }

    private static Seen seen(int run, Transaction transaction) {
        return new Seen(
                run,
                transaction.commitTimestamp().getEpochSecond(),
                transaction.serverTransactionId(),
                transaction.isComplete(),
                transaction.changes().stream()
                        .map(DataChangeRecord::recordSequence)
                        .toList(),
                transaction.changes().stream()
                        .flatMap(change -> change.mods().stream())
                        .map(RandomTransactionsTest::key)
                        .collect(Collectors.toSet()));
    }

    private static String key(Mod mod) {
        return mod.keys().string("Id").orElseThrow();
    }

    /** Writes transactions into partitions that split at random times; returns what was written. */
    private static Map<String, Seen> write(Random random, ScriptedSource source) {
        Map<Integer, String> holders = new HashMap<>(); // the partition of a key
        List<String> live = new ArrayList<>(List.of("p0", "p1", "p2"));
        source.roots("p0", "p1", "p2");
        for (int key = 0; key < KEYS; key++) {
            holders.put(key, "p" + key % 3);
        }
        Map<String, Seen> written = new HashMap<>();
        for (int second = 1; second < END; second++) {
            if (random.nextInt(6) == 0) {
                split(random, source, second, live, holders);
            }
            if (random.nextInt(4) == 0) {
                source.heartbeat(live.get(random.nextInt(live.size())), second);
            } else {
                transaction(random, source, second, holders, written);
            }
        }
        return written;
    }

    private static void split(
            Random random, ScriptedSource source, int second, List<String> live, Map<Integer, String> holders) {
        String parent = live.remove(random.nextInt(live.size()));
        List<String> children = List.of(parent + "a", parent + "b");
        source.split(parent, second, children.getFirst(), children.getLast());
        live.addAll(children);
        holders.replaceAll(
                (key, holder) -> holder.equals(parent) ? children.get(random.nextInt(children.size())) : holder);
    }

    private static void transaction(
            Random random, ScriptedSource source, int second, Map<Integer, String> holders, Map<String, Seen> written) {
        List<Integer> keys = new ArrayList<>(holders.keySet());
        Collections.shuffle(keys, random);
        String id = "t" + second;
        int records = 1 + random.nextInt(4);
        List<String> sequences = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            int key = keys.get(i);
            String sequence = "%08d".formatted(i);
            sequences.add(sequence);
            source.add(
                    requireNonNull(holders.get(key)),
                    SubscriberTransactionTest.change(second, id, sequence, records, Integer.toString(key)));
        }
        written.put(id, new Seen(0, second, id, true, sequences, Set.of()));
    }
}

package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Letters that are handed back and keys that are released while the subscription runs. */
final class SubscriberDeadLetterTest {
    private static final int CHANGES = 240;
    private static final int KEYS = 8;

    @TempDir
    Path folder;

    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private JsonlDeadLetterSink letters;

    @BeforeEach
    void open() throws IOException {
        letters = JsonlDeadLetterSink.open(folder.resolve("letters.jsonl"));
    }

    @AfterEach
    void close() throws IOException {
        letters.close();
    }

    @Test
    void a_key_that_is_released_during_the_run_is_delivered_again() throws InterruptedException {
        RecordingConsumer taken = new RecordingConsumer();
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "A")
                .change("p", 3, "B")
                .change("p", 4, "A")
                .change("p", 5, "A");
        Consumer consumer = (change, delivery) -> {
            if (isAt(change, 1)) {
                throw new IOException("unreachable");
            }
            if (isAt(change, 3)) {
                assertThat(DeadLetterReplay.of(letters, taken).all().replayed()).isEqualTo(2);
            }
            taken.consume(change, delivery);
        };

        fixture.run(
                fixture.subscriber(
                        options -> options.endAt(at(9)).deadLetterSink(letters).errorHandler(ErrorHandler.parkKey())),
                consumer);

        assertThat(taken.labels()).containsExactly("A1", "A2", "B3", "A4", "A5");
        assertThat(letters.parkedKeys()).isEmpty();
    }

    @Test
    void the_log_says_when_records_of_several_keys_spread_the_parking() throws InterruptedException {
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "A")
                .add("p", ScriptedSource.newChange(3, "tx-3", List.of("A", "B")))
                .add("p", ScriptedSource.newChange(4, "tx-4", List.of("B", "C")))
                .add("p", ScriptedSource.newChange(5, "tx-5", List.of("C", "D")));
        Logger logger = (Logger) LoggerFactory.getLogger(DeadLetterCalls.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Level before = logger.getLevel();
        logger.setLevel(Level.WARN);
        logger.addAppender(lines);
        try {
            fixture.run(
                    fixture.subscriber(options ->
                            options.endAt(at(9)).deadLetterSink(letters).errorHandler(ErrorHandler.parkKey())),
                    (change, delivery) -> {
                        throw new IOException("unreachable");
                    });
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
        assertThat(letters.parkedKeys()).hasSize(4);
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .contains(
                                        "parking spreads to other keys: ",
                                        "/tx-3/",
                                        "1 of which are now parked",
                                        "2 keys are parked"),
                        second -> assertThat(second).contains("/tx-5/", "4 keys are parked"));
    }

    @Test
    void the_sink_is_told_of_each_partition_that_is_acquired() throws InterruptedException {
        Set<PartitionLease> acquired = ConcurrentHashMap.newKeySet();
        DeadLetterSink sink = new DeadLetterSink() {
            @Override
            public void accept(DeadLetter letter) {
                throw new AssertionError(letter);
            }

            @Override
            public Set<RecordKey> parkedKeys() {
                return Set.of();
            }

            @Override
            public Set<RecordKey> parkedKeys(PartitionLease lease) {
                acquired.add(lease);
                return Set.of();
            }
        };
        source.roots("p", "q").change("p", 1, "A").change("q", 2, "B");

        fixture.run(fixture.subscriber(options -> options.endAt(at(9)).deadLetterSink(sink)), new RecordingConsumer());

        assertThat(acquired)
                .extracting(lease -> lease.token().value())
                .contains("p", "q")
                .doesNotHaveDuplicates();
    }

    @Test
    void a_letter_whose_key_moved_on_is_refused_by_a_replay() throws InterruptedException {
        RecordingConsumer taken = new RecordingConsumer();
        source.roots("p").change("p", 1, "A").change("p", 2, "B").change("p", 3, "A");

        fixture.run(
                fixture.subscriber(options ->
                        options.endAt(at(9)).deadLetterSink(letters).errorHandler(ErrorHandler.deadLetter())),
                refusing(taken, 1, 2));

        ReplayResult result = DeadLetterReplay.of(letters, taken).all();
        assertThat(taken.labels()).containsExactly("A3", "B2");
        assertThat(result.overtaken()).hasSize(1);
    }

    @Test
    void a_batch_says_what_it_overtakes_as_well() throws InterruptedException {
        RecordingConsumer taken = new RecordingConsumer();
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "B")
                .change("p", 3, "A")
                .change("p", 4, "B");
        BatchConsumer consumer = batch -> {
            for (int i = 0; i < batch.changes().size(); i++) {
                DataChangeRecord change = batch.changes().get(i);
                if (isAt(change, 1) || isAt(change, 2) || isAt(change, 4)) {
                    batch.fail(i, new IOException("unreachable"));
                } else {
                    taken.consume(change, batch.delivery(i));
                }
            }
        };

        fixture.run(
                fixture.subscriber(options -> options.endAt(at(9))
                        .maxInflight(4)
                        .maxBatchSize(4)
                        .deadLetterSink(letters)
                        .errorHandler(ErrorHandler.deadLetter())),
                consumer);

        assertThat(letters.openLetters())
                .extracting(DeadLetterStore.Entry::overtaken)
                .containsExactly(true, false, false);
    }

    @Test
    void keys_that_are_parked_and_released_at_random_keep_their_order_and_lose_nothing() throws Exception {
        for (long seed = 1; seed <= 4; seed++) {
            Outcome outcome = runWithReplays(seed, ErrorHandler.parkKey());
            assertThat(outcome.taken()).as("seed %d", seed).containsExactlyInAnyOrderEntriesOf(outcome.committed());
            assertThat(outcome.last().isComplete()).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void letters_that_are_replayed_at_random_never_come_after_a_later_change_of_their_key() throws Exception {
        for (long seed = 1; seed <= 4; seed++) {
            Outcome outcome = runWithReplays(seed, ErrorHandler.deadLetter());
            Set<Long> seen = new HashSet<>();
            outcome.taken().forEach((key, seconds) -> {
                assertThat(seconds).as("key %s", key).isSorted().doesNotHaveDuplicates();
                seen.addAll(seconds);
            });
            outcome.last()
                    .overtaken()
                    .forEach(identity -> seen.add(identity.commitTimestamp().getEpochSecond()));
            assertThat(seen).as("seed %d", seed).hasSize(CHANGES);
        }
    }

    /**
     * The result by key, as seconds in the order in which the consumer received them.
     *
     * @param last the replay after the end, without failures
     */
    private record Outcome(Map<String, List<Long>> committed, Map<String, List<Long>> taken, ReplayResult last) {}

    private Outcome runWithReplays(long seed, ErrorHandler handler) throws Exception {
        SubscriberFixture run = new SubscriberFixture();
        Random random = new Random(seed);
        Map<String, List<Long>> committed = new TreeMap<>();
        run.source.roots("p", "q");
        for (long second = 1; second <= CHANGES; second++) {
            String key = "K" + random.nextInt(KEYS);
            run.source.change(key.hashCode() % 2 == 0 ? "p" : "q", second, key);
            committed
                    .computeIfAbsent(key, k -> new ArrayList<>())
                    .add(at(second).getEpochSecond());
        }
        RecordingConsumer taken = new RecordingConsumer((change, delivery) -> {
            if (isUnlucky(change, delivery, seed)) {
                throw new IOException("unreachable");
            }
        });
        try (JsonlDeadLetterSink sink = JsonlDeadLetterSink.open(folder.resolve("letters-" + seed + ".jsonl"))) {
            CompletableFuture<CompletionReason> running = run.start(
                    run.subscriber(options -> options.endAt(at(CHANGES + 1))
                            .maxInflight(16)
                            .ordering(Ordering.KEY)
                            .deadLetterSink(sink)
                            .errorHandler(handler)),
                    taken);
            DeadLetterReplay replay = DeadLetterReplay.of(sink, taken);
            while (!running.isDone()) {
                replay.all();
            }
            assertThat(SubscriberFixture.get(running)).isEqualTo(CompletionReason.COMPLETED);
            ReplayResult last = replay.all();
            while (!last.refused().isEmpty()) {
                last = replay.all();
            }
            return new Outcome(committed, byKey(taken), last);
        }
    }

    /** Some changes always fail when the engine tries them; a replay fails now and then. */
    private static boolean isUnlucky(DataChangeRecord change, Delivery delivery, long seed) {
        Random random = new Random(seed * 31 + change.commitTimestamp().getEpochSecond());
        boolean live = delivery.epoch() > 0;
        return live ? random.nextInt(6) == 0 : ThreadLocalRandom.current().nextInt(4) == 0;
    }

    private static Map<String, List<Long>> byKey(RecordingConsumer taken) {
        Map<String, List<Long>> byKey = new TreeMap<>();
        taken.consumed()
                .forEach(consumed -> byKey.computeIfAbsent(consumed.key(), k -> new ArrayList<>())
                        .add(consumed.change().commitTimestamp().getEpochSecond()));
        return byKey;
    }

    private static Consumer refusing(RecordingConsumer taken, long... seconds) {
        return (change, delivery) -> {
            if (LongStream.of(seconds).anyMatch(second -> isAt(change, second))) {
                throw new IOException("unreachable");
            }
            taken.consume(change, delivery);
        };
    }

    private static boolean isAt(DataChangeRecord change, long second) {
        return change.commitTimestamp().equals(at(second));
    }
}

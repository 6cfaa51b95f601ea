package dev.spream.sink.pubsub;

import static dev.spream.sink.pubsub.PubsubChanges.options;
import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.sink.pubsub.PublisherServer.Reply;
import dev.spream.testkit.subscription.ScriptedSource;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sink under the engine: what arrives when requests fail in every way, and when the watermark may move. */
final class PubsubDeliveryTest {
    private static final int CHANGES = 300;
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private PublisherServer server;

    @BeforeEach
    void start() throws IOException {
        server = PublisherServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                Arguments.of(1, 1, Ordering.PARTITION, 1_000),
                Arguments.of(8, 1, Ordering.KEY, 1),
                Arguments.of(8, 8, Ordering.PARTITION, 3),
                Arguments.of(50, 7, Ordering.KEY, 2),
                Arguments.of(200, 100, Ordering.KEY, 1_000),
                Arguments.of(200, 200, Ordering.KEY, 1));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void under_random_faults_no_message_is_lost_and_every_key_keeps_its_order(
            int maxInflight, int maxBatchSize, Ordering ordering, int batchMessages) throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<DataChangeRecord> committed = changes(random);
        Faults faults = new Faults(random);
        server.script(faults::reply);
        PubsubOptions options = options(server, Duration.ofMillis(400), 10, batchMessages);
        try (PubsubSink sink = new PubsubSink(TopicClient.open(options), ChangeMessages.OF_RECORDS);
                Subscriber subscriber = subscriber(
                        ScriptedSource.of(START, committed),
                        builder -> builder.maxInflight(maxInflight)
                                .maxBatchSize(maxBatchSize)
                                .ordering(ordering))) {
            assertThat(subscriber.run(sink)).isEqualTo(CompletionReason.COMPLETED);
        }
        assertThat(faults.injected).as("failures, with seed %d", seed).isPositive();
        try {
            PublishedOrder.check(committed, server.taken());
        } catch (AssertionError e) {
            throw new AssertionError("with seed %d".formatted(seed), e);
        }
    }

    /** Changes of one row to three, of twelve rows, many of each. */
    private static List<DataChangeRecord> changes(Random random) {
        return IntStream.rangeClosed(1, CHANGES)
                .mapToObj(second -> ScriptedSource.newChange(
                        second,
                        "tx" + second,
                        random.ints(0, 12)
                                .distinct()
                                .limit(random.nextInt(10) == 0 ? 3 : 1)
                                .mapToObj(row -> "row" + row)
                                .toList()))
                .toList();
    }

    /** Called by one thread at a time. */
    private static final class Faults {
        private static final List<Status> STATUSES = List.of(
                Status.UNAVAILABLE,
                Status.ABORTED,
                Status.INTERNAL,
                Status.FAILED_PRECONDITION,
                Status.PERMISSION_DENIED,
                Status.NOT_FOUND);
        private final Random random;
        private int injected;

        Faults(Random random) {
            this.random = random;
        }

        Reply reply(PublishRequest request) {
            int dice = injected == 0 ? 0 : random.nextInt(100); // the first request fails in any case
            Status status = STATUSES.get(random.nextInt(STATUSES.size()));
            injected += dice < 15 ? 1 : 0;
            return switch (dice) {
                case 0, 1, 2, 3, 4, 5, 6, 7 -> new Reply.Refuse(status);
                case 8, 9, 10, 11 -> new Reply.LoseAnswer(status);
                case 12, 13 -> new Reply.ConfirmTooFew();
                case 14 -> new Reply.Refuse(Status.INVALID_ARGUMENT);
                default -> new Reply.Confirm();
            };
        }
    }

    private Subscriber subscriber(ScriptedSource source, UnaryOperator<SubscriberOptions.Builder> options) {
        return Subscriber.builder(source, storage)
                .options(builder -> options.apply(builder.startAt(START)
                        .endAt(at(CHANGES + 1))
                        .watermarkInterval(Duration.ofMillis(10))
                        .errorHandler(
                                ErrorHandler.fixedBackoff(Duration.ofMillis(1)).forever())))
                .build();
    }

    @Test
    void children_publish_a_key_after_their_parents() throws IOException {
        ScriptedSource source = new ScriptedSource().roots("p");
        List<DataChangeRecord> committed = new ArrayList<>();
        for (int second = 1; second <= 40; second++) {
            String partition = second <= 20 ? "p" : second % 2 == 0 ? "left" : "right";
            String key = "row" + second % 2;
            source.change(partition, second, key, "tx" + second);
            committed.add(ScriptedSource.newChange(second, key, "tx" + second));
        }
        source.split("p", 20, "left", "right");
        server.script(new Faults(new Random(1))::reply);
        try (PubsubSink sink = new PubsubSink(
                        TopicClient.open(options(server, Duration.ofMillis(400), 10, 3)), ChangeMessages.OF_RECORDS);
                Subscriber subscriber = subscriber(source, builder -> builder.maxInflight(10))) {
            assertThat(subscriber.run(sink)).isEqualTo(CompletionReason.COMPLETED);
        }
        PublishedOrder.check(committed, server.taken());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void the_watermark_does_not_pass_what_is_not_confirmed(int maxBatchSize) throws Exception {
        ScriptedSource source = new ScriptedSource().roots("p");
        source.change("p", 1, "a").change("p", 2, "b").change("p", 3, "c").heartbeat("p", 9);
        server.script(request -> keyOf(request.getMessages(0)).equals("b") ? new Reply.Hold() : new Reply.Confirm());
        try (PubsubSink sink = new PubsubSink(TopicClient.open(options(server)), ChangeMessages.OF_RECORDS);
                Subscriber subscriber =
                        subscriber(source, builder -> builder.maxInflight(10).maxBatchSize(maxBatchSize))) {
            FutureTask<CompletionReason> run = new FutureTask<>(() -> subscriber.run(sink));
            Thread.ofVirtual().start(run);
            await(() -> server.taken().stream()
                    .map(PubsubDeliveryTest::keyOf)
                    .toList()
                    .containsAll(List.of("a", "c")));
            await(() -> !watermark().isBefore(at(1)));
            assertThat(watermark()).isEqualTo(at(1));
            server.releaseHeld();
            assertThat(run.get(20, TimeUnit.SECONDS)).isEqualTo(CompletionReason.COMPLETED);
            assertThat(watermark()).isEqualTo(at(9));
        }
    }

    private static String keyOf(PubsubMessage message) {
        return message.getOrderingKey().replaceAll(".*:\"(.*)\"}", "$1");
    }

    private Instant watermark() {
        return storage.lineage()
                .partition(new PartitionToken("p"))
                .map(PartitionMetadata::watermark)
                .orElse(Instant.MIN);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("waited in vain").isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }
}

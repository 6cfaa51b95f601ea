package dev.spream.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.emulator.junit.SpannerEmulatorExtension;
import dev.spream.emulator.junit.TestDatabase;
import dev.spream.emulator.junit.TestStream;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
final class OrderStatusesIT {
    @RegisterExtension
    static final SpannerEmulatorExtension SPANNER =
            SpannerEmulatorExtension.builder().ddlResource("orders/schema.sql").build();

    private final OrderStatuses statuses = new OrderStatuses();
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private SpannerConnection connection;
    private SpannerChangeStreamSource source;
    private Instant start;

    @BeforeEach
    void connect(TestDatabase database) {
        connection = SpannerConnection.builder(DatabaseName.parse(database.name()))
                .emulatorHost(database.emulatorHost())
                .open();
        source = SpannerChangeStreamSource.open(connection.client(), "OrdersStream");
        start = source.serverTime();
    }

    @AfterEach
    void disconnect() {
        source.close();
        connection.close();
    }

    @Test
    void a_split_and_a_broken_stream_lose_nothing(TestDatabase database) throws Exception {
        TestStream stream = database.stream("OrdersStream");
        try (Subscriber subscriber = subscriber(options -> options)) {
            var running = CompletableFuture.runAsync(() -> subscriber.run(statuses));
            write("o1", "PLACED");
            stream.split();
            stream.breakQueries();
            write("o1", "PAID");
            database.awaitDelivered(subscriber::lowWatermark);
            assertThat(running).isNotDone();
        }
        assertThat(statuses.of("o1")).contains("PAID");
    }

    @Test
    void a_change_whose_process_died_before_it_was_settled_comes_again(TestDatabase database) throws Exception {
        Consumer dying = (change, delivery) -> {
            statuses.consume(change, delivery);
            throw new IllegalStateException("the process dies here");
        };
        try (Subscriber first = subscriber(options -> options)) {
            var running = CompletableFuture.runAsync(() -> first.run(dying));
            write("o1", "PLACED");
            assertThat(running).failsWithin(Duration.ofSeconds(20)).withThrowableOfType(ExecutionException.class);
        }
        write("o1", "PAID");
        try (Subscriber second = subscriber(options -> options)) {
            CompletableFuture.runAsync(() -> second.run(statuses));
            database.awaitDelivered(second::lowWatermark);
        }
        assertThat(statuses.of("o1")).contains("PAID");
    }

    @Test
    void a_change_that_always_fails_becomes_a_dead_letter(TestDatabase database) throws Exception {
        KeptLetters letters = new KeptLetters();
        Consumer refusing = (change, delivery) -> {
            if (change.mods().getFirst().newValues().string("Status").isEmpty()) {
                throw new IllegalArgumentException("an order without a status");
            }
            statuses.consume(change, delivery);
        };
        try (Subscriber subscriber = subscriber(
                options -> options.errorHandler(ErrorHandler.deadLetter()).deadLetterSink(letters))) {
            CompletableFuture.runAsync(() -> subscriber.run(refusing));
            write("o1", null);
            write("o2", "PLACED");
            database.awaitDelivered(subscriber::lowWatermark);
        }
        assertThat(letters.kept()).hasSize(1);
        assertThat(statuses.of("o2")).contains("PLACED");
    }

    private Subscriber subscriber(UnaryOperator<SubscriberOptions.Builder> change) {
        return Subscriber.builder(source, storage)
                .options(options -> change.apply(options.startAt(start)))
                .build();
    }

    private void write(String order, @Nullable String status) {
        connection
                .client()
                .write(List.of(Mutation.newInsertOrUpdateBuilder("Orders")
                        .set("Id")
                        .to(order)
                        .set("Status")
                        .to(status)
                        .build()));
    }

    /** The dead letters of a test. */
    private record KeptLetters(List<DeadLetter> kept) implements DeadLetterSink {
        KeptLetters() {
            this(new CopyOnWriteArrayList<>());
        }

        @Override
        public void accept(DeadLetter letter) {
            kept.add(letter);
        }

        @Override
        public Set<RecordKey> parkedKeys() {
            return Set.of();
        }
    }
}

package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.SpannerGrpc;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Change stream queries over gRPC: resume tokens, cancelled queries, very many queries. */
@Timeout(120)
class ChangeStreamIT {
    private static final int COMMITS = 20;
    private static final int CHILDREN = 2;
    private static final int QUERIES = 500;
    private static final int CHANNELS = 5;

    // Less than a query sleeps before it looks for its client by itself.
    private static final Duration AT_ONCE = Duration.ofSeconds(15);

    private static SpannerEmulator emulator;

    @BeforeAll
    static void start() {
        emulator = SpannerEmulator.start();
    }

    @AfterAll
    static void stop() {
        emulator.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = DatabaseDialect.class,
            names = {"GOOGLE_STANDARD_SQL", "POSTGRESQL"})
    void resuming_at_any_token_repeats_and_loses_nothing(DatabaseDialect dialect) {
        try (RawChangeStream stream = new RawChangeStream(emulator, dialect, "resume-" + dialect.getNumber())) {
            PartitionView partition = onlyPartition(stream.partitions());
            List<PartialResultSet> messages = messages(stream, partition);
            List<Value> rows = rows(messages);
            assertThat(rows).hasSize(COMMITS + CHILDREN).doesNotHaveDuplicates();

            for (int received = 1; received <= messages.size(); received++) {
                PartialResultSet last = messages.get(received - 1);
                List<Value> resumed = rows(all(stream, partition, last.getResumeToken()));
                assertThat(resumed)
                        .as("rows after message %d of %d", received, messages.size())
                        .isEqualTo(rows(messages.subList(received, messages.size())));
            }
        }
    }

    /** Returns the messages of a query that is open while rows are committed one by one and the partition ends. */
    private static List<PartialResultSet> messages(RawChangeStream stream, PartitionView partition) {
        Iterator<PartialResultSet> open = stream.stub().executeStreamingSql(stream.query(partition, ByteString.EMPTY));
        List<PartialResultSet> messages = new ArrayList<>();
        messages.add(open.next());
        for (int i = 0; i < COMMITS; i++) {
            stream.insert(i);
            messages.add(open.next());
        }
        stream.partitions().split(partition.token());
        open.forEachRemaining(messages::add);
        return messages;
    }

    private static List<PartialResultSet> all(RawChangeStream stream, PartitionView partition, ByteString resumeToken) {
        List<PartialResultSet> messages = new ArrayList<>();
        stream.stub().executeStreamingSql(stream.query(partition, resumeToken)).forEachRemaining(messages::add);
        return messages;
    }

    private static List<Value> rows(List<PartialResultSet> messages) {
        return messages.stream()
                .flatMap(message -> message.getValuesList().stream())
                .toList();
    }

    private static PartitionView onlyPartition(PartitionControl partitions) {
        while (partitions.live().size() > 1) {
            partitions.merge(
                    partitions.live().get(0).token(), partitions.live().get(1).token());
        }
        return partitions.live().getFirst();
    }

    @Test
    void a_query_whose_client_is_gone_ends_at_once() {
        try (RawChangeStream stream = new RawChangeStream(emulator, DatabaseDialect.GOOGLE_STANDARD_SQL, "cancelled")) {
            PartitionView partition = onlyPartition(stream.partitions());
            Context.CancellableContext client = Context.current().withCancellation();
            client.run(() -> {
                Iterator<PartialResultSet> open =
                        stream.stub().executeStreamingSql(stream.query(partition, ByteString.EMPTY));
                assertThat(open.next().hasMetadata()).isTrue();
            });
            assertThat(stream.runningQueries()).isEqualTo(1);
            client.cancel(null);
            await(() -> stream.runningQueries() == 0, AT_ONCE, () -> stream.runningQueries() + " queries still run");
        }
    }

    @Test
    void a_stalled_query_whose_client_is_gone_ends_at_once() {
        try (RawChangeStream stream = new RawChangeStream(emulator, DatabaseDialect.GOOGLE_STANDARD_SQL, "stalled")) {
            PartitionView partition = onlyPartition(stream.partitions());
            stream.faults().next(Fault.of(Fault.Kind.STALL));
            Context.CancellableContext client = Context.current().withCancellation();
            client.run(() -> stream.stub().executeStreamingSql(stream.query(partition, ByteString.EMPTY)));
            await(
                    () -> stream.faults().counts().of(Fault.Kind.STALL) == 1,
                    Duration.ofSeconds(20),
                    () -> stream.faults().counts().toString());
            client.cancel(null);
            await(() -> stream.runningQueries() == 0, AT_ONCE, () -> stream.runningQueries() + " queries still run");
        }
    }

    @Test
    void among_hundreds_of_idle_queries_a_change_reaches_the_right_one() throws InterruptedException {
        try (RawChangeStream stream = new RawChangeStream(emulator, DatabaseDialect.GOOGLE_STANDARD_SQL, "hundreds")) {
            List<PartitionView> partitions = splitInto(QUERIES, stream.partitions());
            List<ManagedChannel> channels = new ArrayList<>();
            for (int i = 0; i < CHANNELS; i++) {
                channels.add(stream.channel());
            }
            Inbox inbox = new Inbox();
            try {
                for (int i = 0; i < QUERIES; i++) {
                    PartitionView partition = partitions.get(i);
                    SpannerGrpc.newStub(channels.get(i % CHANNELS))
                            .executeStreamingSql(
                                    stream.query(partition, ByteString.EMPTY), inbox.of(partition.token()));
                }
                await(() -> inbox.opened.get() == QUERIES, Duration.ofSeconds(40), inbox::toString);
                assertThat(stream.runningQueries()).isEqualTo(QUERIES);

                stream.insert(42);
                assertThat(inbox.rows.poll(30, TimeUnit.SECONDS)).isNotNull();
            } finally {
                channels.forEach(ManagedChannel::shutdownNow);
            }
            await(() -> stream.runningQueries() == 0, Duration.ofSeconds(20), inbox::toString);
            assertThat(inbox.rows)
                    .as("queries of other partitions that got the row")
                    .isEmpty();
        }
    }

    private static List<PartitionView> splitInto(int count, PartitionControl partitions) {
        Queue<String> leaves = new ArrayDeque<>();
        partitions.live().forEach(each -> leaves.add(each.token()));
        while (leaves.size() < count) {
            leaves.addAll(partitions.split(leaves.remove()));
        }
        return partitions.live();
    }

    /** The rows that all queries received. */
    private static final class Inbox {
        final AtomicInteger opened = new AtomicInteger();
        final LinkedBlockingQueue<String> rows = new LinkedBlockingQueue<>();
        final AtomicReference<String> failure = new AtomicReference<>("no query failed");

        StreamObserver<PartialResultSet> of(String token) {
            return new StreamObserver<>() {
                @Override
                public void onNext(PartialResultSet message) {
                    if (message.hasMetadata()) {
                        opened.incrementAndGet();
                    }
                    message.getValuesList().forEach(row -> rows.add(token));
                }

                @Override
                public void onError(Throwable error) {
                    failure.set(error.toString());
                }

                @Override
                public void onCompleted() {
                    failure.set("the query of " + token + " ended");
                }
            };
        }

        @Override
        public String toString() {
            return opened.get() + " queries are open, " + rows.size() + " rows arrived, " + failure.get();
        }
    }

    private static void await(BooleanSupplier condition, Duration limit, Supplier<String> state) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("after " + limit + ": " + state.get());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}

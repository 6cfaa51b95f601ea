package dev.spream.storage.spanner.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.SpannerExceptionFactory;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxRow;
import dev.spream.servers.SpannerServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of what Spanner adds to the contract: repeated transactions, the choice of ids, and tables. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.outbox.OutboxTestDatabase#all")
final class OutboxCallersIT {
    private static final OutboxOwner ANN = OutboxOwner.of("ann");
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final OutboxTestDatabase database;
    private final SpannerOutboxDatabase outbox;
    private final SpannerOutboxStore store;

    OutboxCallersIT(SpannerServer server, Dialect dialect) {
        database = OutboxTestDatabase.of(server, dialect);
        outbox = database.take();
        store = new SpannerOutboxStore(outbox);
    }

    @AfterEach
    void giveBack() {
        database.giveBack(outbox);
    }

    private <T> T inTransaction(Function<TransactionContext, T> work) {
        T result = outbox.client().readWriteTransaction().run(work::apply);
        assertThat(result).isNotNull();
        return result;
    }

    @Test
    void a_transaction_that_is_repeated_enqueues_once() {
        SpannerOutbox enqueuing = SpannerOutbox.open(outbox);
        List<EnqueueResult> attempts = new ArrayList<>();
        inTransaction(transaction -> {
            attempts.add(enqueuing.enqueue(transaction, OutboxMessage.of("a", "1")));
            if (attempts.size() < 3) {
                throw SpannerExceptionFactory.newSpannerException(ErrorCode.ABORTED, "another transaction");
            }
            return true;
        });
        assertThat(attempts).hasSize(3).allMatch(EnqueueResult.Enqueued.class::isInstance);
        assertThat(store.claim(ANN, "", 10, LEASE).claims())
                .singleElement()
                .satisfies(claim -> assertThat(
                                new EnqueueResult.Enqueued(claim.entry().id()))
                        .isEqualTo(attempts.getLast()));
    }

    @Test
    void an_entry_whose_id_is_in_use_gets_another_one() {
        AtomicLong next = new AtomicLong(1_000);
        SpannerOutbox enqueuing = new SpannerOutbox(outbox, (now, after) -> next.getAndIncrement() / 2);
        List<OutboxMessage> messages =
                List.of(OutboxMessage.of("a", "1"), OutboxMessage.of("b", "2"), OutboxMessage.of("c", "3"));
        List<EnqueueResult> results = inTransaction(transaction -> enqueuing.enqueueAll(transaction, messages));

        SpannerOutboxOperations operations = new SpannerOutboxOperations(outbox);
        List<Long> ids = messages.stream()
                .map(message -> operations.find(message.idempotencyKey()).orElseThrow())
                .map(OutboxRow::id)
                .toList();
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(results)
                .isEqualTo(ids.stream()
                        .<EnqueueResult>map(EnqueueResult.Enqueued::new)
                        .toList());
        assertThat(store.claim(ANN, "", 10, LEASE).claims()).hasSize(3);
    }

    @Test
    void an_ordered_entry_is_after_one_of_a_process_whose_ids_are_ahead() {
        EntryIds ahead = (now, after) -> EntryIds.floor(now.plusSeconds(3600)) + 7;
        long first = ordered(new SpannerOutbox(outbox, ahead), "a");
        SpannerOutbox enqueuing = new SpannerOutbox(outbox, EntryIds.growing());
        long second = ordered(enqueuing, "b");
        assertThat(second).isGreaterThan(first);
        assertThat(store.ordered("", "k", 10)).extracting(OrderedEntry::id).containsExactly(first, second);
    }

    private long ordered(SpannerOutbox enqueuing, String key) {
        EnqueueResult result = inTransaction(transaction -> enqueuing.enqueue(
                transaction, OutboxMessage.builder(key, "1").orderingKey("k").build()));
        assertThat(result).isInstanceOf(EnqueueResult.Enqueued.class);
        return ((EnqueueResult.Enqueued) result).id();
    }

    @Test
    void more_segments_are_read_than_fit_into_a_request() {
        SpannerOutbox enqueuing = SpannerOutbox.open(outbox);
        List<OutboxMessage> messages = new ArrayList<>();
        for (int i = 0; i < 1_050; i++) {
            messages.add(OutboxMessage.builder("key " + i, "1")
                    .orderingKey(i < 500 ? "hot" : "key " + i % 55)
                    .build());
        }
        for (int from = 0; from < messages.size(); from += 350) {
            List<OutboxMessage> part = messages.subList(from, from + 350);
            inTransaction(transaction -> enqueuing.enqueueAll(transaction, part));
        }
        Map<Integer, Long> all = new HashMap<>();
        for (int segment = 0; segment < 256; segment++) {
            all.put(segment, 0L);
        }
        List<OrderedEntry> read = store.ordered("", all, 450);
        assertThat(read).extracting(OrderedEntry::id).doesNotHaveDuplicates();
        assertThat(read).filteredOn(entry -> entry.orderingKey().equals("hot")).hasSize(450);
        assertThat(read).filteredOn(entry -> !entry.orderingKey().equals("hot")).hasSize(550);
    }

    @Test
    void tables_are_required_and_may_be_created_again() {
        assertThatThrownBy(() -> SpannerOutboxStore.open(database.connection(), "Missing"))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("check the names of database and table, and that the tables were created");
        SpannerOutboxTables.create(database.connection(), outbox.tables().entries());
        assertThat(store.claim(ANN, "", 1, LEASE).isEmpty()).isTrue();
        assertThatThrownBy(() -> SpannerOutboxTables.create(database.connection(), "a b"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

package dev.spream.emulator.internal.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class TransactionTurnsTest {
    private static final ByteString ID = ByteString.copyFromUtf8("first");

    private final AtomicInteger step = new AtomicInteger();

    private CompletableFuture<Integer> beginAnother(TransactionTurns turns) {
        CompletableFuture<Boolean> runs = new CompletableFuture<>();
        CompletableFuture<Integer> order = CompletableFuture.supplyAsync(() -> {
            runs.complete(true);
            return turns.begin(turn -> step.incrementAndGet());
        });
        runs.join();
        return order;
    }

    /** Begins a transaction whose turn lasts. */
    private static void begin(TransactionTurns turns) {
        turns.begin(turn -> {
            turn.identify(ID);
            return turn;
        });
    }

    @Test
    void a_transaction_begins_after_the_last_call_of_the_one_before_it() throws Exception {
        TransactionTurns turns = new TransactionTurns(Duration.ofMinutes(1));
        begin(turns);
        CompletableFuture<Integer> second = beginAnother(turns);
        assertThat(turns.next(ID, false, step::incrementAndGet)).isEqualTo(1);
        assertThat(turns.next(ID, true, step::incrementAndGet)).isEqualTo(2);
        assertThat(second.get()).isEqualTo(3);
    }

    @Test
    void a_transaction_that_does_not_begin_or_is_one_call_leaves_the_turn() throws Exception {
        TransactionTurns turns = new TransactionTurns(Duration.ofMinutes(1));
        assertThatThrownBy(() -> turns.begin(turn -> {
                    throw new IllegalStateException("aborted");
                }))
                .isInstanceOf(IllegalStateException.class);
        turns.begin(turn -> turn);
        assertThat(beginAnother(turns).get()).isEqualTo(1);
    }

    @Test
    void an_idle_transaction_loses_its_turn() throws Exception {
        TransactionTurns turns = new TransactionTurns(Duration.ofMillis(1));
        begin(turns);
        assertThat(beginAnother(turns).get()).isEqualTo(1);
        assertThat(turns.next(ID, true, step::incrementAndGet)).isEqualTo(2);
    }

    @Test
    void a_transaction_keeps_its_turn_during_a_call_however_long_that_is() throws Exception {
        TransactionTurns turns = new TransactionTurns(Duration.ofMillis(1));
        begin(turns);
        AtomicReference<CompletableFuture<Integer>> second = new AtomicReference<>();
        int order = turns.next(ID, false, () -> {
            second.set(beginAnother(turns));
            assertWaits(second.get());
            return step.incrementAndGet();
        });
        assertThat(order).isEqualTo(1);
        assertThat(second.get().get()).isEqualTo(2);
    }

    @Test
    void a_call_without_a_transaction_does_not_end_the_turn_of_one_that_begins() throws Exception {
        TransactionTurns turns = new TransactionTurns(Duration.ofMinutes(1));
        CompletableFuture<Integer> second = turns.begin(turn -> {
            turns.next(ByteString.EMPTY, true, step::incrementAndGet);
            CompletableFuture<Integer> waits = beginAnother(turns);
            assertWaits(waits);
            return waits;
        });
        assertThat(second.get()).isEqualTo(2);
    }

    private static void assertWaits(CompletableFuture<Integer> begin) {
        assertThatThrownBy(() -> begin.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }
}

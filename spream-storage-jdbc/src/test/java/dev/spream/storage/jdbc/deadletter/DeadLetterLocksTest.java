package dev.spream.storage.jdbc.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DeadLetterLocksTest {

    /** Transactions that take locks in different orders would wait for each other. */
    @Test
    void keys_in_any_order_have_the_same_locks_in_the_same_order_each_once() {
        List<String> hashes =
                IntStream.range(0, 2_000).mapToObj(i -> Hashes.of("A" + i)).toList();
        assertThat(DeadLetterLocks.numbersOf(hashes))
                .isSorted()
                .doesNotHaveDuplicates()
                .isEqualTo(DeadLetterLocks.numbersOf(hashes.reversed()));
    }
}

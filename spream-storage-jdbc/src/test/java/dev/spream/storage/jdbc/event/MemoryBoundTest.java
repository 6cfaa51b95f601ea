package dev.spream.storage.jdbc.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MemoryBoundTest {
    private static final int SMALL = 100;

    private final MemoryBound bound = new MemoryBound();

    @Test
    void more_rows_are_fetched_once_the_first_are_small() {
        int first = bound.fetch();
        bound.test(event(SMALL));
        assertThat(bound.fetch()).isGreaterThan(first);
    }

    @Test
    void few_rows_are_fetched_after_a_large_one_even_if_most_are_small() {
        int first = bound.fetch();
        bound.test(event((int) MemoryBound.MAX_BYTES / 10));
        bound.test(event(SMALL));
        assertThat(bound.fetch()).isEqualTo(first);
    }

    private static StoredEvent event(int size) {
        return new StoredEvent(1, 0, new StoredEvent.NoEvent("x".repeat(size), ""));
    }
}

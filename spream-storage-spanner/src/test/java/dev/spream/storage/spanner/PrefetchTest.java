package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrefetchTest {
    private final Prefetch prefetch = new Prefetch(100);

    @Test
    void one_chunk_is_asked_for_at_a_time() {
        assertThat(prefetch.request(64)).isTrue();
        assertThat(prefetch.request(1)).isFalse();

        assertThat(prefetch.arrived(10)).isTrue();
    }

    @Test
    void no_more_is_asked_for_than_the_client_has_room_for() {
        assertThat(prefetch.request(2)).isTrue();
        assertThat(prefetch.arrived(10)).isTrue();
        assertThat(prefetch.arrived(10)).isFalse();

        assertThat(prefetch.request(1)).isTrue();
        assertThat(prefetch.arrived(10)).isFalse();
        assertThat(prefetch.chunks()).isEqualTo(2);
    }

    @Test
    void nothing_is_asked_for_while_the_client_holds_the_limit() {
        prefetch.request(64);
        assertThat(prefetch.arrived(99)).isTrue();
        assertThat(prefetch.arrived(1)).isFalse();
        assertThat(prefetch.bytes()).isEqualTo(100);

        assertThat(prefetch.request(1)).isTrue();
        assertThat(prefetch.bytes()).isEqualTo(1);
        assertThat(prefetch.chunks()).isEqualTo(1);
    }

    @Test
    void a_chunk_larger_than_the_limit_passes_alone() {
        assertThat(prefetch.request(64)).isTrue();
        assertThat(prefetch.arrived(1_000)).isFalse();

        assertThat(prefetch.request(1)).isTrue();
        assertThat(prefetch.arrived(1_000)).isFalse();
        assertThat(prefetch.bytes()).isEqualTo(1_000);
    }

    @Test
    void chunks_are_taken_in_the_order_in_which_they_came() {
        prefetch.request(64);
        prefetch.arrived(1);
        prefetch.arrived(20);
        prefetch.arrived(30);

        prefetch.request(1);
        assertThat(prefetch.bytes()).isEqualTo(50);
        prefetch.request(1);
        assertThat(prefetch.bytes()).isEqualTo(30);
        prefetch.request(1);
        assertThat(prefetch.bytes()).isZero();
    }
}

package dev.spream.storage.spanner.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrefetchTest {
    private final Prefetch prefetch = new Prefetch(100);

    @Test
    void it_counts_one_call() {
        assertThat(prefetch.claim()).isTrue();
        assertThat(prefetch.claim()).isFalse();
    }

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
        assertThat(prefetch.chunksAhead()).isEqualTo(2);
    }

    @Test
    void a_full_client_asks_for_more_when_half_is_read() {
        prefetch.request(4);
        for (int chunk = 0; chunk < 4; chunk++) {
            prefetch.arrived(1);
        }

        assertThat(prefetch.request(1)).as("3 ahead").isFalse();
        assertThat(prefetch.request(1)).as("2 ahead, room for 2").isTrue();
        assertThat(prefetch.arrived(1)).isTrue();
        assertThat(prefetch.arrived(1)).isFalse();
    }

    @Test
    void nothing_is_asked_for_while_the_client_holds_the_limit() {
        prefetch.request(64);
        assertThat(prefetch.arrived(99)).isTrue();
        assertThat(prefetch.arrived(1)).isFalse();
        assertThat(prefetch.bytes()).isEqualTo(100);
    }

    @Test
    void a_chunk_counts_until_the_next_one_is_taken() {
        prefetch.request(64);
        prefetch.arrived(60);
        prefetch.arrived(40);

        assertThat(prefetch.request(1)).as("60 are being read").isFalse();
        assertThat(prefetch.bytes()).isEqualTo(100);
        assertThat(prefetch.chunksAhead()).isEqualTo(1);

        assertThat(prefetch.request(1)).isTrue();
        assertThat(prefetch.bytes()).isEqualTo(40);
        assertThat(prefetch.chunksAhead()).isZero();
    }

    @Test
    void beside_the_chunk_that_is_being_read_there_may_always_be_one_of_any_size() {
        assertThat(prefetch.request(64)).isTrue();
        assertThat(prefetch.arrived(1_000)).isFalse();

        assertThat(prefetch.request(1)).isTrue();
        assertThat(prefetch.arrived(2_000)).isFalse();
        assertThat(prefetch.bytes()).isEqualTo(3_000);

        assertThat(prefetch.request(1)).isTrue();
        assertThat(prefetch.bytes()).isEqualTo(2_000);
    }
}

package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.flink.ReadElements.Read;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReadElementsTest {
    private static final long ROOM = 1_000;

    private final ReadElements elements = new ReadElements(ROOM);

    @Test
    void elements_come_in_the_order_in_which_they_were_added() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            elements.put(read(i, 1));
        }
        for (int i = 0; i < 200; i++) {
            assertThat(elements.isEmpty()).isFalse();
            assertThat(elements.poll()).isEqualTo(read(i, 1));
        }
        assertThat(elements.isEmpty()).isTrue();
        assertThat(elements.poll()).isNull();
    }

    @Test
    void an_element_larger_than_all_room_waits_until_no_other_takes_room() throws InterruptedException {
        elements.put(read(0, 1));
        Thread large = putting(read(1, 2 * ROOM));
        assertThat(elements.poll()).isEqualTo(read(0, 1));
        assertThat(elements.isEmpty()).isTrue(); // which frees the room of the first one
        large.join();
        assertThat(elements.poll()).isEqualTo(read(1, 2 * ROOM));
    }

    @Test
    void readers_wait_for_room_in_the_order_of_their_coming() throws InterruptedException {
        elements.put(read(0, ROOM));
        List<Thread> waiting = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            waiting.add(putting(read(i, i == 1 ? ROOM : 1)));
        }
        for (int i = 0; i <= 3; i++) {
            elements.available().join();
            assertThat(elements.poll()).isEqualTo(read(i, i < 2 ? ROOM : 1));
            if (i == 0) {
                assertThat(elements.isEmpty()).isTrue();
                waiting.getFirst().join();
            }
            if (i == 1) {
                assertThat(elements.isEmpty()).isTrue();
                for (Thread reader : waiting) {
                    reader.join();
                }
            }
        }
    }

    @Test
    void a_reader_that_is_interrupted_while_it_waits_lets_the_next_one_add() throws InterruptedException {
        elements.put(read(0, ROOM / 2));
        Thread first = putting(read(1, ROOM));
        Thread second = putting(read(2, 1));
        first.interrupt();
        first.join();
        second.join();
        assertThat(elements.poll()).isEqualTo(read(0, ROOM / 2));
        assertThat(elements.poll()).isEqualTo(read(2, 1));
        assertThat(elements.isEmpty()).isTrue();
    }

    @Test
    void the_task_waits_until_there_is_an_element_or_it_is_woken() throws InterruptedException {
        elements.looking();
        CompletableFuture<Void> first = elements.available();
        assertThat(first).isNotDone();
        elements.put(read(0, 1));
        assertThat(first).isDone();
        assertThat(elements.poll()).isNotNull();
        assertThat(elements.isEmpty()).isTrue();

        CompletableFuture<Void> second = elements.available();
        assertThat(second).isNotDone();
        elements.wake();
        assertThat(second).isDone();
        assertThat(elements.available()).isDone();
        elements.looking();
        assertThat(elements.available()).isNotDone();
    }

    private static Read read(int number, long bytes) {
        return new Read("split", new SplitElement.ReadUpTo(Instant.ofEpochSecond(number)), bytes);
    }

    /** Returns a thread that adds the element, once it waits for room. */
    private Thread putting(Read read) {
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                elements.put(read);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }
}

package dev.spream.core.subscription.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class InflightTrackerTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

    private final InflightTracker tracker = new InflightTracker("Orders/p", 5, START);

    @Test
    void the_worked_example_of_five_records_settled_as_3_1_2_5_4() {
        for (int second = 1; second <= 5; second++) {
            assertThat(tracker.open(at(second))).isEqualTo(second);
        }
        tracker.settle(3);
        assertThat(tracker.watermark()).isEqualTo(START);
        tracker.settle(1);
        assertThat(tracker.watermark()).isEqualTo(at(1));
        tracker.settle(2);
        assertThat(tracker.watermark()).isEqualTo(at(3));
        tracker.settle(5);
        assertThat(tracker.watermark()).isEqualTo(at(3));
        tracker.settle(4);
        assertThat(tracker.watermark()).isEqualTo(at(5));
        assertThat(tracker.inFlight()).isZero();
    }

    @Test
    void the_first_record_of_a_partition_holds_the_watermark_like_any_other() {
        tracker.open(at(1));
        tracker.open(at(2));
        tracker.settle(2);
        assertThat(tracker.watermark()).isEqualTo(START);
    }

    @Test
    void a_partition_with_a_single_record_drains() {
        tracker.open(at(1));
        tracker.settle(1);
        assertThat(tracker.inFlight()).isZero();
        assertThat(tracker.watermark()).isEqualTo(at(1));
    }

    @Test
    void marks_need_no_slot_however_many_come_while_a_record_is_stuck() {
        tracker.open(at(1));
        for (int second = 2; second < 10_000; second++) {
            tracker.mark(at(second));
        }
        assertThat(tracker.inFlight()).isEqualTo(1);
        assertThat(tracker.watermark()).isEqualTo(START);
        tracker.settle(1);
        assertThat(tracker.watermark()).isEqualTo(at(9_999));
    }

    @Test
    void a_mark_moves_the_watermark_of_an_idle_partition_and_never_back() {
        tracker.mark(at(5));
        tracker.mark(at(3));
        assertThat(tracker.watermark()).isEqualTo(at(5));
    }

    @Test
    void the_watermark_of_a_tracker_without_a_maximum_reaches_the_first_record_that_is_not_settled() {
        InflightTracker tracker = InflightTracker.unlimited("p1", START);
        long first = tracker.open(at(3));
        assertThat(tracker.watermark()).isEqualTo(at(3));
        long second = tracker.open(at(5));
        tracker.mark(at(7));
        assertThat(tracker.watermark()).isEqualTo(at(3));
        tracker.settle(first);
        assertThat(tracker.watermark()).isEqualTo(at(5));
        tracker.settle(second);
        assertThat(tracker.watermark()).isEqualTo(at(7));
    }

    @Test
    void settling_a_record_twice_is_a_bug_and_throws() {
        tracker.open(at(1));
        tracker.open(at(2));
        tracker.settle(2);
        assertThatThrownBy(() -> tracker.settle(2)).isInstanceOf(IllegalStateException.class);
        tracker.settle(1);
        assertThatThrownBy(() -> tracker.settle(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Orders/p")
                .hasMessageContaining("record 1");
    }

    @Test
    void settling_what_was_never_opened_throws() {
        assertThatThrownBy(() -> tracker.settle(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> tracker.settle(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_record_before_the_last_position_is_a_bug_and_throws() {
        tracker.open(at(2));
        assertThatThrownBy(() -> tracker.open(at(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("goes back");
    }

    @Test
    void more_records_than_there_is_room_for_is_a_bug_and_throws() {
        for (int second = 1; second <= 5; second++) {
            tracker.open(at(second));
        }
        assertThatThrownBy(() -> tracker.open(at(6))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void it_agrees_with_a_naive_model_whatever_the_order_of_settling() {
        for (long seed = 0; seed < 500; seed++) {
            compareWithModel(seed);
        }
    }

    /** The model keeps everything: the watermark is the greatest position before the first unsettled record. */
    private static void compareWithModel(long seed) {
        Random random = new Random(seed);
        int capacity = 1 + random.nextInt(8);
        InflightTracker tracker = new InflightTracker("model", capacity, START);
        List<Instant> positions = new ArrayList<>();
        List<Boolean> settled = new ArrayList<>();
        Instant position = START;
        Instant idleMark = START;
        for (int step = 0; step < 200; step++) {
            List<Integer> open = unsettled(settled);
            int firstOpen = open.isEmpty() ? settled.size() : open.getFirst();
            boolean room = settled.size() - firstOpen < capacity;
            switch (random.nextInt(3)) {
                case 0 -> {
                    if (room) {
                        position = position.plusSeconds(random.nextInt(2));
                        tracker.open(position);
                        positions.add(position);
                        settled.add(false);
                    }
                }
                case 1 -> {
                    position = position.plusSeconds(random.nextInt(2));
                    tracker.mark(position);
                    if (open.isEmpty()) {
                        idleMark = position;
                    } else {
                        positions.set(positions.size() - 1, position);
                    }
                }
                default -> {
                    if (!open.isEmpty()) {
                        int index = open.get(random.nextInt(open.size()));
                        tracker.settle(index + 1L);
                        settled.set(index, true);
                    }
                }
            }
            Instant expected = idleMark;
            for (int i = 0; i < settled.size() && settled.get(i); i++) {
                expected = positions.get(i).isAfter(expected) ? positions.get(i) : expected;
            }
            assertThat(tracker.watermark()).as("seed %d, step %d", seed, step).isEqualTo(expected);
        }
    }

    private static List<Integer> unsettled(List<Boolean> settled) {
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < settled.size(); i++) {
            if (!settled.get(i)) {
                open.add(i);
            }
        }
        return open;
    }

    @Test
    void threads_that_settle_at_the_same_time_leave_no_gap() throws InterruptedException {
        int records = 200;
        for (int round = 0; round < 50; round++) {
            InflightTracker shared = new InflightTracker("threads", records, START);
            for (int i = 1; i <= records; i++) {
                shared.open(at(i));
            }
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int offset = t;
                threads.add(Thread.ofVirtual().start(() -> {
                    awaitUninterruptibly(start);
                    for (int i = 1 + offset; i <= records; i += 4) {
                        shared.settle(i);
                    }
                }));
            }
            start.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(shared.watermark()).isEqualTo(at(records));
            assertThat(shared.inFlight()).isZero();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Instant at(int second) {
        return START.plusSeconds(second);
    }
}

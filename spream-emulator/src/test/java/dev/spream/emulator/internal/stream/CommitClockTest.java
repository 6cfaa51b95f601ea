package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.emulator.control.DrivenClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CommitClockTest {
    private final CommitClock clock = new CommitClock(DrivenClock.startingAt(T0), 1);

    @Test
    void a_commit_after_another_is_later_though_time_stands_still() {
        List<Instant> commits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            commits.add(clock.commit(at -> at));
        }
        assertThat(commits).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void now_is_never_before_a_commit_and_no_later_commit_is_at_it() {
        Instant first = clock.commit(at -> at);
        Instant now = clock.now();
        assertThat(now).isAfterOrEqualTo(first);
        Instant second = clock.commit(at -> at);
        assertThat(second).isAfter(now);
    }

    @Test
    void a_cut_is_later_than_commits_before_it_and_not_later_than_those_after_it() {
        Instant before = clock.commit(at -> at);
        Instant now = clock.now();
        Instant cut = clock.cut(at -> at);
        assertThat(cut).isAfter(before);
        assertThat(cut).isAfter(now);
        Instant after = clock.commit(at -> at);
        assertThat(after).isEqualTo(cut);
    }

    @Test
    void commits_that_overlap_share_a_timestamp_now_and_then_unless_now_has_shown_it() throws Exception {
        assertThat(distinct(overlapping(false))).isLessThan(40);
        assertThat(distinct(overlapping(true))).isEqualTo(40);
    }

    private static long distinct(List<Instant> commits) {
        return commits.stream().distinct().count();
    }

    /** Forty commits that all wait while an earlier one is published. */
    private List<Instant> overlapping(boolean withNow) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Instant>> commits = new ArrayList<>();
            clock.commit(first -> {
                for (int i = 0; i < 40; i++) {
                    commits.add(threads.submit(() -> clock.commit(at -> {
                        if (withNow) {
                            assertThat(clock.now()).isAfterOrEqualTo(at);
                        }
                        return at;
                    })));
                }
                while (clock.waiting() < 40) {
                    Thread.onSpinWait();
                }
                return first;
            });
            List<Instant> times = new ArrayList<>();
            for (Future<Instant> commit : commits) {
                times.add(commit.get());
            }
            return times;
        }
    }
}

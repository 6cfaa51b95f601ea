package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.subscription.SubscriptionView;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RetentionWatchTest {
    private static final Duration WEEK = Duration.ofDays(7);

    private final Semaphore asked = new Semaphore(0);
    private final Semaphore noted = new Semaphore(0);
    private final BlockingQueue<Supplier<Optional<Duration>>> answers = new LinkedBlockingQueue<>();
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final RetentionWatch watch = new RetentionWatch(view(), this::instant);

    @Test
    void a_failure_is_no_answer_and_is_followed_by_another_question_after_a_minute() throws InterruptedException {
        assertThat(watch.latest()).isEmpty();
        answer(() -> {
            throw new IllegalStateException("the server cannot be reached");
        });
        assertThat(watch.isAnswered()).isFalse();
        requireAskedAfter(Duration.ofMinutes(1));
        answer(() -> Optional.of(WEEK));
        assertThat(watch.isAnswered()).isTrue();
        assertThat(watch.latest()).contains(WEEK);
        requireAskedAfter(Duration.ofMinutes(10));
        answer(() -> {
            throw new IllegalStateException("the server cannot be reached");
        });
        assertThat(watch.isAnswered()).isTrue();
        assertThat(watch.latest()).contains(WEEK);
    }

    @Test
    void a_stream_that_declares_no_period_has_been_asked_for_it() throws InterruptedException {
        assertThat(watch.latest()).isEmpty();
        answer(Optional::empty);
        assertThat(watch.isAnswered()).isTrue();
        assertThat(watch.latest()).isEmpty();
    }

    /** Returns when the answer to the question that was asked is noted. */
    private void answer(Supplier<Optional<Duration>> answer) throws InterruptedException {
        assertThat(asked.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        answers.add(answer);
        assertThat(noted.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }

    private void requireAskedAfter(Duration pause) throws InterruptedException {
        now = now.plus(pause).minusNanos(1);
        Optional<Duration> early = watch.latest();
        assertThat(asked.tryAcquire(20, TimeUnit.MILLISECONDS)).isFalse();
        now = now.plusNanos(1);
        assertThat(watch.latest()).isEqualTo(early);
        assertThat(asked.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        asked.release();
    }

    /** The watch asks on a virtual thread, and looks at the clock there only when it notes the answer. */
    private Instant instant() {
        if (Thread.currentThread().isVirtual()) {
            noted.release();
        }
        return now;
    }

    private SubscriptionView view() {
        return (SubscriptionView) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SubscriptionView.class}, (view, method, arguments) -> {
                    if (method.getName().equals("retention")) {
                        asked.release();
                        return answers.take().get();
                    }
                    return "Orders";
                });
    }
}

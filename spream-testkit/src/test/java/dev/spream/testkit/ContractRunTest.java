package dev.spream.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ContractRunTest {
    private static final Duration LIMIT = Duration.ofMillis(50);

    @Test
    void a_test_that_waits_too_long_is_interrupted_and_fails() {
        CountDownLatch never = new CountDownLatch(1);
        new ContractRun(Contract.class, () -> new Contract(never::await), LIMIT).requireFailures("a_call_ends");
    }

    @Test
    void a_test_that_ignores_its_interrupt_is_named() {
        CountDownLatch end = new CountDownLatch(1);
        assertThatThrownBy(() -> new ContractRun(
                                Contract.class, () -> new Contract(() -> awaitAnyway(end)), LIMIT, LIMIT)
                        .failures())
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("not ended 50 ms after their interrupt", "\"a_call_ends\"");
        end.countDown();
    }

    private static void awaitAnyway(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException ignored) {
                // as a broken store does
            }
        }
    }

    private interface Call {
        void run() throws InterruptedException;
    }

    /** A contract of which one test calls an implementation. */
    private record Contract(Call call) {
        @Test
        public void a_call_ends() throws InterruptedException {
            call.run();
        }

        @Test
        public void another_test_passes() {}
    }
}

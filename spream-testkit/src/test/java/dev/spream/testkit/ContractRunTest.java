package dev.spream.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
    void tests_that_have_to_fail_are_tests_of_the_contract_and_fail() {
        ContractRun run = new ContractRun(
                Contract.class,
                () -> new Contract(() -> {
                    throw new IllegalStateException("broken");
                }),
                Duration.ofSeconds(30));
        run.requireFailures("a_call_ends");
        assertThat(run.failures()).containsExactly("a_call_ends");
        for (String[] names : List.of(
                new String[] {"a_call_ends", "another_test_passes"},
                new String[] {"a_call_ends", "no_test_of_it"},
                new String[] {})) {
            assertThatThrownBy(() -> run.requireFailures(names))
                    .as(Arrays.toString(names))
                    .isInstanceOf(AssertionError.class);
        }
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

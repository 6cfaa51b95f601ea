package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.examples.vocabulary.Sampling.Sampled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SamplingTest {
    @Test
    void a_sample_that_fails_is_not_known_and_keeps_neither_the_next_nor_the_others_from_being_taken()
            throws Exception {
        Samples unreachable = new Samples(new StorageException("the database is away", true, null));
        Samples broken = new Samples(new IllegalStateException("closed"));
        Samples other = new Samples(new IllegalStateException("closed"));
        try (Sampling sampling = Sampling.start(Duration.ofMillis(1), List.of(unreachable, broken, other))) {
            assertThat(List.of(unreachable, broken, other)).allMatch(Samples::awaitThree);
        }
    }

    /** Fails each time. */
    private record Samples(CountDownLatch failures, RuntimeException failure) implements Sampled {
        Samples(RuntimeException failure) {
            this(new CountDownLatch(3), failure);
        }

        @Override
        public void sample() {
            throw failure;
        }

        @Override
        public void notSampled() {
            failures.countDown();
        }

        boolean awaitThree() {
            try {
                return failures.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}

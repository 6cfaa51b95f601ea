package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of telling outages from failures of the events themselves. */
final class OutageDetectorTest {
    private final OutageDetector outages = new OutageDetector();

    private void fail(int keys) {
        for (int i = 0; i < keys; i++) {
            outages.failed("key-" + i);
        }
    }

    @Test
    void few_that_fail_prove_nothing() {
        fail(2);
        outages.failed("key-1");
        assertThat(outages.isRaised()).isFalse();
        assertThat(outages.isOutage(2, false, 2)).isFalse();
    }

    @Test
    void several_are_an_outage_if_there_is_no_other() {
        fail(3);
        assertThat(outages.isRaised()).isTrue();
        assertThat(outages.isOutage(1, false, 1)).isTrue();
    }

    @Test
    void others_are_tried_first_and_more_of_them_each_time() {
        fail(3);
        assertThat(outages.isOutage(3, true, 1_000)).isFalse();
        assertThat(outages.isOutage(13, true, 1_000)).isTrue();
        assertThat(outages.isOutage(13, true, 1_000)).isFalse();
        assertThat(outages.isOutage(26, true, 1_000)).isTrue();
        for (int i = 0; i < 20; i++) {
            outages.isOutage(1_000, false, 1_000);
        }
        assertThat(outages.isOutage(1_000, true, 1_000)).isFalse();
    }

    @Test
    void one_that_is_applied_ends_it() {
        fail(10);
        outages.worked();
        assertThat(outages.isRaised()).isFalse();
        fail(2);
        assertThat(outages.isOutage(2, false, 2)).isFalse();
    }
}

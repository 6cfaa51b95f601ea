package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class SegmentLagsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final SegmentLags.Furthest UNKNOWN =
            new SegmentLags.Furthest(OptionalLong.empty(), Optional.empty());
    private static final SegmentLags.Furthest CAUGHT_UP = furthest(0, Duration.ZERO);

    private final SegmentLags lags = new SegmentLags();

    private static SegmentLags.Furthest furthest(long events, Duration age) {
        return new SegmentLags.Furthest(OptionalLong.of(events), Optional.of(age));
    }

    private void assertIs(SegmentLags.Furthest expected) {
        assertThat(lags.furthest(NOW, true)).isEqualTo(expected);
    }

    @Test
    void without_a_segment_nothing_is_known() {
        assertIs(new SegmentLags.Furthest(OptionalLong.empty(), Optional.empty()));
    }

    @Test
    void all_are_caught_up_when_each_is() {
        lags.expect(0);
        lags.expect(1);
        assertIs(UNKNOWN);
        lags.found(0, SegmentLags.Sample.caughtUp(NOW));
        assertIs(UNKNOWN);
        lags.found(1, SegmentLags.Sample.caughtUp(NOW));
        assertIs(CAUGHT_UP);
        lags.expect(1);
        assertIs(CAUGHT_UP);
        lags.unattended(1);
        assertIs(UNKNOWN);
        lags.forget(1);
        assertIs(CAUGHT_UP);
        assertThat(lags.furthest(NOW, false)).isEqualTo(UNKNOWN);
    }

    @Test
    void one_that_is_behind_is_told_whatever_is_known_of_others() {
        lags.expect(0);
        lags.found(1, SegmentLags.Sample.behind(7, NOW.minusSeconds(30)));
        lags.found(2, SegmentLags.Sample.behind(5, NOW.minusSeconds(60)));
        assertIs(furthest(7, Duration.ofMinutes(1)));
        lags.unattended(1);
        lags.unattended(2);
        assertIs(furthest(7, Duration.ofMinutes(1)));
        assertThat(lags.furthest(NOW, false)).isEqualTo(furthest(7, Duration.ofMinutes(1)));
    }

    @Test
    void an_unattended_segment_has_an_unknown_lag() {
        lags.unattended(0);
        assertIs(UNKNOWN);
    }

    @Test
    void an_event_of_the_future_has_not_waited() {
        lags.found(0, SegmentLags.Sample.behind(1, Instant.MAX));
        assertIs(furthest(1, Duration.ZERO));
    }
}

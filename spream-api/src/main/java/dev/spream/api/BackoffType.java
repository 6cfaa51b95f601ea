package dev.spream.api;

import dev.spream.api.spi.ConfigType;
import dev.spream.outbox.worker.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The configuration type of retry delays: a list such as {@code 5s,10s,20s}, or a range such as {@code 5s..10m} for
 * random exponential delays.
 */
public final class BackoffType {
    private static final String TO = "..";
    private static final ConfigType<Duration> DELAY = ConfigType.duration(Duration.ZERO, Backoff.MAX_DELAY);
    private static final ConfigType<Duration> BOUND = ConfigType.duration(Duration.ofMillis(1), Backoff.MAX_DELAY);

    /** The type. */
    public static final ConfigType<Backoff> TYPE = new ConfigType<>(
            "durations separated by commas, or a range such as 5s..10m, up to " + DELAY.write(Backoff.MAX_DELAY),
            BackoffType::read,
            BackoffType::write);

    private BackoffType() {}

    private static Backoff read(String text) {
        int to = text.indexOf(TO);
        return to < 0
                ? Backoff.table(
                        ConfigType.list().read(text).stream().map(DELAY::read).toList())
                : exponential(BOUND.read(text.substring(0, to)), BOUND.read(text.substring(to + TO.length())));
    }

    private static Backoff exponential(Duration base, Duration cap) {
        if (cap.compareTo(base) < 0) {
            throw new IllegalArgumentException("expected the shorter delay before the longer one, such as 5s..10m");
        }
        return Backoff.exponential(base, cap);
    }

    private static String write(Backoff backoff) {
        return switch (backoff) {
            case Backoff.Table(List<Duration> delays) ->
                delays.stream().map(DELAY::write).collect(Collectors.joining(","));
            case Backoff.Exponential(Duration base, Duration cap) -> BOUND.write(base) + TO + BOUND.write(cap);
        };
    }
}

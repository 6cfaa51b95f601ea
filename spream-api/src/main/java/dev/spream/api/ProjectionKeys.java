package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionOptions.Gaps;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The keys that begin with {@code projections} and are no plug-in's: how projections are run. */
final class ProjectionKeys {
    private static final ProjectionOptions DEFAULTS = ProjectionOptions.DEFAULTS;

    private static final ConfigKey<Integer> SEGMENTS = ConfigKey.of(
                    "segments",
                    powerOfTwo(),
                    "Into how many segments a projection is split, each of which one process works on at a time. Counts when"
                            + " the projection first runs; later, spream projection segments changes it. Only of event"
                            + " sources that have positions.")
            .withDefault(DEFAULTS.segments());
    private static final ConfigKey<Integer> BATCH = ConfigKey.of(
                    "batch",
                    ConfigType.integer(1, ProjectionOptions.MAX_BATCH),
                    "How many events are applied in one transaction at most.")
            .withDefault(DEFAULTS.batch());
    private static final ConfigKey<Duration> LINGER = ConfigKey.of(
                    "linger",
                    ConfigType.duration(Duration.ZERO, ProjectionOptions.MAX_LINGER),
                    "How long a batch waits to be full once it has its first event: for read models that are slow for each batch.")
            .withDefault(DEFAULTS.linger());
    private static final ConfigKey<Duration> LEASE = ConfigKey.of(
                    "lease",
                    ConfigType.duration(ProjectionOptions.MIN_LEASE, ProjectionOptions.MAX_LEASE),
                    "How long a segment stays with a process that shows no life.")
            .withDefault(DEFAULTS.lease());
    private static final ConfigKey<Integer> MAX_ATTEMPTS = ConfigKey.of(
                    "max-attempts",
                    ConfigType.integer(1, ProjectionOptions.MAX_MAX_ATTEMPTS),
                    "How often an event that fails is tried before its aggregate waits for somebody, the first time included.")
            .withDefault(DEFAULTS.maxAttempts());
    private static final ConfigKey<Duration> INITIAL_DELAY = ConfigKey.of(
                    "initial-delay",
                    ConfigType.duration(ProjectionOptions.MIN_INITIAL_DELAY, ProjectionOptions.MAX_INITIAL_DELAY),
                    "How long an aggregate waits at most, at random, before its event is tried a second time; doubled each"
                            + " time after it.")
            .withDefault(DEFAULTS.initialDelay());
    private static final ConfigKey<Duration> MAX_DELAY = ConfigKey.of(
                    "max-delay",
                    ConfigType.duration(ProjectionOptions.MIN_INITIAL_DELAY, ProjectionOptions.MAX_MAX_DELAY),
                    "How long it waits between two attempts at most; not below initial-delay.")
            .withDefault(DEFAULTS.maxDelay());
    private static final ConfigKey<Gaps> GAPS = ConfigKey.of(
                    "gaps",
                    ConfigType.choice(Gaps.class),
                    "What becomes of an event whose version does not follow that of the event before it: it waits for those"
                            + " that are missing, or is applied, for sources that deliver some events only.")
            .withDefault(DEFAULTS.gaps());
    private static final ConfigKey<Integer> MAX_PARKED = ConfigKey.of(
                    "max-parked",
                    ConfigType.integer(1, ProjectionOptions.MAX_MAX_PARKED),
                    "How many aggregates of a projection may be parked until somebody retries or skips them; rather than park"
                            + " another one, the projection stops as FAILED.")
            .withDefault(DEFAULTS.maxParked());
    private static final ConfigKey<Integer> MAX_FAILING_PERCENT = ConfigKey.of(
                    "max-failing-percent",
                    ConfigType.integer(1, ProjectionOptions.MAX_MAX_FAILING_PERCENT),
                    "How many percent of the events that a process tried lately may fail for good; if more do, and more than"
                            + " 20 events, the projection stops as FAILED. 100 sets no limit.")
            .withDefault(DEFAULTS.maxFailingPercent());

    private ProjectionKeys() {}

    private static ConfigType<Integer> powerOfTwo() {
        List<String> powers = Stream.iterate(1, power -> power <= ProjectionOptions.MAX_SEGMENTS, power -> 2 * power)
                .map(String::valueOf)
                .toList();
        ConfigType<String> names = ConfigType.name(powers);
        return new ConfigType<>(
                "power of 2 up to " + ProjectionOptions.MAX_SEGMENTS,
                text -> Integer.valueOf(names.read(text)),
                String::valueOf,
                powers);
    }

    static List<ConfigKey<?>> all() {
        return List.of(
                SEGMENTS,
                BATCH,
                LINGER,
                LEASE,
                MAX_ATTEMPTS,
                INITIAL_DELAY,
                MAX_DELAY,
                GAPS,
                MAX_PARKED,
                MAX_FAILING_PERCENT);
    }

    /** @throws IllegalArgumentException if they do not go together */
    static ProjectionOptions options(PluginConfig config) {
        Duration initial = config.get(INITIAL_DELAY);
        Duration max = config.get(MAX_DELAY);
        if (max.compareTo(initial) < 0) {
            throw new IllegalArgumentException(
                    "projections.max-delay is %s, and projections.initial-delay %s: make the former"
                                    .formatted(
                                            MAX_DELAY.type().write(max),
                                            INITIAL_DELAY.type().write(initial))
                            + " as long, or the latter shorter");
        }
        return new ProjectionOptions(
                config.get(SEGMENTS),
                config.get(BATCH),
                config.get(LINGER),
                config.get(LEASE),
                config.get(MAX_ATTEMPTS),
                initial,
                max,
                config.get(GAPS),
                config.get(MAX_PARKED),
                config.get(MAX_FAILING_PERCENT));
    }
}

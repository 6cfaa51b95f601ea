package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionOptions.Gaps;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The keys that begin with {@code projections}, apart from the plug-in's: the options of the projection manager. */
final class ProjectionKeys {
    private static final ProjectionOptions DEFAULTS = ProjectionOptions.DEFAULTS;

    private static final ConfigKey<Integer> SEGMENTS = ConfigKey.of(
                    "segments",
                    powerOfTwo(),
                    "Number of segments of a projection, a power of two; each segment is owned by one process at"
                            + " a time. Applies when the projection first runs; change it later with spream projection"
                            + " segments. Only for event sources that have positions.")
            .withDefault(DEFAULTS.segments());
    private static final ConfigKey<Integer> BATCH = ConfigKey.of(
                    "batch",
                    ConfigType.integer(1, ProjectionOptions.MAX_BATCH),
                    "Maximum number of events applied in one transaction; unless it is 1, ten times as many, up to 10,000, in a"
                            + " rebuild or a folded projection that is far behind.")
            .withDefault(DEFAULTS.batch());
    private static final ConfigKey<Duration> LINGER = ConfigKey.of(
                    "linger",
                    ConfigType.duration(Duration.ZERO, ProjectionOptions.MAX_LINGER),
                    "Time that a batch waits for more events after its first; for read models with a high cost"
                            + " for each batch.")
            .withDefault(DEFAULTS.linger());
    private static final ConfigKey<Duration> LEASE = ConfigKey.of(
                    "lease",
                    ConfigType.duration(ProjectionOptions.MIN_LEASE, ProjectionOptions.MAX_LEASE),
                    "Time after its last renewal at which the lease of a segment expires and another process may"
                            + " take it over.")
            .withDefault(DEFAULTS.lease());
    private static final ConfigKey<Integer> MAX_ATTEMPTS = ConfigKey.of(
                    "max-attempts",
                    ConfigType.integer(1, ProjectionOptions.MAX_MAX_ATTEMPTS),
                    "Number of attempts for a failing event, the first included, after which its aggregate is"
                            + " parked.")
            .withDefault(DEFAULTS.maxAttempts());
    private static final ConfigKey<Duration> INITIAL_DELAY = ConfigKey.of(
                    "initial-delay",
                    ConfigType.duration(ProjectionOptions.MIN_INITIAL_DELAY, ProjectionOptions.MAX_INITIAL_DELAY),
                    "Upper bound of the random delay before the second attempt; doubled with each further"
                            + " attempt.")
            .withDefault(DEFAULTS.initialDelay());
    private static final ConfigKey<Duration> MAX_DELAY = ConfigKey.of(
                    "max-delay",
                    ConfigType.duration(ProjectionOptions.MIN_INITIAL_DELAY, ProjectionOptions.MAX_MAX_DELAY),
                    "Maximum delay between two attempts; not below initial-delay.")
            .withDefault(DEFAULTS.maxDelay());
    private static final ConfigKey<Gaps> GAPS = ConfigKey.of(
                    "gaps",
                    ConfigType.choice(Gaps.class),
                    "Action for an event whose version does not follow the previous one of its aggregate: wait"
                            + " for the missing events, or apply it, for sources that deliver only some events.")
            .withDefault(DEFAULTS.gaps());
    private static final ConfigKey<Integer> MAX_PARKED = ConfigKey.of(
                    "max-parked",
                    ConfigType.integer(1, ProjectionOptions.MAX_MAX_PARKED),
                    "Maximum number of parked aggregates of a projection. When one more would be parked, the"
                            + " projection stops as FAILED instead.")
            .withDefault(DEFAULTS.maxParked());
    private static final ConfigKey<Integer> MAX_FAILING_PERCENT = ConfigKey.of(
                    "max-failing-percent",
                    ConfigType.integer(1, ProjectionOptions.MAX_MAX_FAILING_PERCENT),
                    "Maximum share in percent of the events recently attempted by a process that may fail"
                            + " permanently; above it, and above 20 events, the projection stops as FAILED. 100 sets no"
                            + " limit.")
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

    /** @throws IllegalArgumentException if options contradict each other */
    static ProjectionOptions options(PluginConfig config) {
        Duration initial = config.get(INITIAL_DELAY);
        Duration max = config.get(MAX_DELAY);
        if (max.compareTo(initial) < 0) {
            throw new IllegalArgumentException(
                    "projections.max-delay is %s, but projections.initial-delay is %s: raise the former"
                                    .formatted(
                                            MAX_DELAY.type().write(max),
                                            INITIAL_DELAY.type().write(initial))
                            + " or lower the latter");
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

package dev.spream.cli.subscription;

import static dev.spream.cli.command.UsageFailure.require;

import com.google.cloud.spanner.Dialect;
import dev.spream.cli.command.DurationArgument;
import dev.spream.cli.storage.StreamArguments;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.PartitionMode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that only {@code tail --demo} accepts. */
final class DemoArguments {
    static final List<String> NAMES =
            List.of("--seed", "--transactions", "--dialect", "--partition-mode", "--duration", "--faults");

    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(5);
    private static final Duration MAX_DURATION = Duration.ofHours(1);

    @Option(
            names = "--faults",
            description = "With --demo: abort, stall, truncate and replay the streams, on the embedded emulator.")
    private boolean faults;

    @Option(
            names = "--transactions",
            paramLabel = "N",
            description = "With --demo: number of transactions to commit. Default: as many as fit in the duration.")
    private @Nullable Integer transactions;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "With --demo: duration of writing, over which the transactions are spread. Default: 5s.")
    private Duration duration = DEFAULT_DURATION;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "With --demo: seed of the transfers, the partitions and the faults. Default: random.")
    private @Nullable Long seed;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            description = "With --demo: googlesql or postgresql. Default: googlesql.")
    private DialectName dialect = DialectName.GOOGLESQL;

    @Option(
            names = "--partition-mode",
            paramLabel = "MODE",
            description = "With --demo: immutable, where a partition's key range stays until it ends; or mutable, where"
                    + " key ranges move between living partitions. Default: immutable.")
    private ModeName mode = ModeName.IMMUTABLE;

    /** The partition modes by their names on the command line. */
    enum ModeName {
        IMMUTABLE(PartitionMode.IMMUTABLE_KEY_RANGE),
        MUTABLE(PartitionMode.MUTABLE_KEY_RANGE);

        private final PartitionMode mode;

        ModeName(PartitionMode mode) {
            this.mode = mode;
        }

        PartitionMode mode() {
            return mode;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The dialects by their names on the command line. */
    enum DialectName {
        GOOGLESQL(Dialect.GOOGLE_STANDARD_SQL),
        POSTGRESQL(Dialect.POSTGRESQL);

        private final Dialect dialect;

        DialectName(Dialect dialect) {
            this.dialect = dialect;
        }

        Dialect dialect() {
            return dialect;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean faults() {
        return faults;
    }

    /** Validates the flags, except those shared with {@code tail}. */
    Demo.Settings settings(
            int maxInflight, Optional<Ordering> ordering, TransactionMode transactionMode, StreamArguments stream) {
        require(
                transactions == null || transactions >= 1,
                "--transactions is %d, must be 1 or more".formatted(transactions));
        require(
                duration.isPositive() && duration.compareTo(MAX_DURATION) <= 0,
                "--duration is %s, must be 1ms to %s"
                        .formatted(DurationArgument.format(duration), DurationArgument.format(MAX_DURATION)));
        require(
                !faults || stream.namedEmulator().isEmpty(),
                "--faults needs the embedded emulator; remove --emulator-host and SPANNER_EMULATOR_HOST");
        return new Demo.Settings(
                dialect,
                mode.mode(),
                seed == null ? RandomGenerator.getDefault().nextInt(1_000_000) : seed,
                Optional.ofNullable(transactions),
                duration,
                maxInflight,
                ordering,
                transactionMode,
                faults,
                stream.emulator());
    }
}

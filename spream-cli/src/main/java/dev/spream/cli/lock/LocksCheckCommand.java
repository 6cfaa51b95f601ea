package dev.spream.cli.lock;

import dev.spream.api.ConfiguredLocks;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.PlainText;
import dev.spream.cli.output.ProgressLine;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.BucketSpaceCheck;
import dev.spream.lock.provisioning.BucketSpaceCheck.Level;
import dev.spream.lock.provisioning.BucketSpaceCheck.Range;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Checks the locks against their configuration and recorded layout. */
@Command(
        name = "check",
        description = "Checks that locks can be taken: the server, the recorded layout, and every bucket. Changes"
                + " nothing.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:locks can be taken as configured",
            "1:failure, or a problem was found",
            "2:usage error or invalid configuration"
        })
final class LocksCheckCommand extends Subcommand {
    private static final int MAX_RANGES = 20;

    @Mixin
    private final LocksArguments arguments = new LocksArguments();

    @Override
    public Integer call() throws Exception {
        try (ConfiguredLocks configured = arguments.open()) {
            BucketProvisioning provisioning = configured.provisioning();
            LocksArguments.requireUsable(provisioning);
            BucketSpaceCheck check;
            try (BucketProgress progress = new BucketProgress(new ProgressLine())) {
                check = provisioning.check(progress);
            }
            show(check);
            check.problems().forEach(problem -> report("wrong: " + PlainText.of(problem)));
            report(verdict(check));
            return check.isSound() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private static String verdict(BucketSpaceCheck check) {
        int problems = check.problems().size();
        if (!check.isSound()) {
            return problems == 1 ? "check: 1 problem" : "check: %d problems".formatted(problems);
        }
        return check.recorded().isPresent()
                ? "check: locks can be taken"
                : "check: locks can be taken; the first store that opens there records the layout";
    }

    private void show(BucketSpaceCheck check) {
        print(PlainText.of(check.place()));
        print("recorded: " + check.recorded().map(LockNames::of).orElse("nothing yet"));
        print(check.levels().stream().map(LocksCheckCommand::line).toList());
        print(check.facts().stream().map(PlainText::of).toList());
    }

    private static String line(Level level) {
        return String.format(
                Locale.ROOT, "level %d: %,d buckets%s", level.level(), level.rows(), missing(level.missing()));
    }

    private static String missing(List<Range> ranges) {
        if (ranges.isEmpty()) {
            return ", none missing";
        }
        String shown = ranges.stream().limit(MAX_RANGES).map(Range::toString).collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                ", %,d missing: %s%s",
                ranges.stream().mapToLong(Range::size).sum(),
                shown,
                ranges.size() > MAX_RANGES ? " and %d more ranges".formatted(ranges.size() - MAX_RANGES) : "");
    }
}

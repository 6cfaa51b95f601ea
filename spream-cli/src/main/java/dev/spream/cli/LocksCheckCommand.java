package dev.spream.cli;

import dev.spream.api.LockDesk;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.LockSpaceCheck;
import dev.spream.lock.provisioning.LockSpaceCheck.Level;
import dev.spream.lock.provisioning.LockSpaceCheck.Range;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Compares what locks are taken by with what should be there. */
@Command(
        name = "check",
        description =
                "Judges whether locks can be taken: the server, what is recorded, and every bucket. Changes nothing.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:locks can be taken as configured",
            "1:failure, or something is wrong",
            "2:usage, or a configuration that cannot be used"
        })
final class LocksCheckCommand implements Callable<Integer> {
    private static final int MAX_RANGES = 20;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final LocksArguments arguments = new LocksArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        try (LockDesk desk = arguments.open(others)) {
            BucketProvisioning provisioning = desk.provisioning();
            LocksArguments.requireUsable(provisioning);
            BucketProgress progress = new BucketProgress(System.err, Terminal.watched());
            LockSpaceCheck check;
            try {
                check = provisioning.check(progress);
            } finally {
                progress.end();
            }
            show(check, spec.commandLine().getOut());
            check.problems().forEach(problem -> spec.commandLine().getErr().println("wrong: " + PlainText.of(problem)));
            spec.commandLine().getErr().println(verdict(check));
            return check.isSound() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private static String verdict(LockSpaceCheck check) {
        int problems = check.problems().size();
        if (!check.isSound()) {
            return problems == 1 ? "check: 1 thing is wrong" : "check: %d things are wrong".formatted(problems);
        }
        return check.recorded().isPresent()
                ? "check: locks can be taken"
                : "check: locks can be taken; the first store that opens there records by what";
    }

    private static void show(LockSpaceCheck check, PrintWriter out) {
        out.println(PlainText.of(check.place()));
        out.println("recorded: " + check.recorded().map(LockNames::of).orElse("nothing yet"));
        check.levels().forEach(level -> out.println(line(level)));
        check.facts().stream().map(PlainText::of).forEach(out::println);
        out.flush();
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

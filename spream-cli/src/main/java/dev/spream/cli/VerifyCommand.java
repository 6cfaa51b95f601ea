package dev.spream.cli;

import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageReport;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Proves from what is stored that no time of any partition was passed over. */
@Command(
        name = "verify",
        description = "Proves from what is stored that the lineage of partitions has no gap.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the lineage is proven", "1:it is not, or could not be read", "2:usage"})
final class VerifyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(names = "--json", description = "Print one object of JSON instead of text.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        try (OpenStorage open = arguments.open()) {
            StoredSubscription stored = StoredSubscription.read(open);
            LineageReport report = LineageCheck.check(stored.subscription(), stored.lineage(), stored.proofs());
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                out.println(VerdictJson.write(stored, report));
            } else {
                print(report, out);
            }
            return report.isProven() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private static void print(LineageReport report, PrintWriter out) {
        report.findings().forEach(finding -> out.printf("%s: %s%n", finding.kind(), finding.message()));
        report.losses()
                .forEach(loss -> out.printf(
                        "accepted: partition %s lost what was committed from %s to %s to the retention period%n",
                        loss.partition().abbreviated(),
                        loss.gap().from(),
                        loss.gap().to()));
        out.printf(
                "verify: %s; %d partitions, %d finished, %d of them removed with proof%s, %d accepted gaps%s%n",
                report.isProven()
                        ? "no gap"
                        : "%d finding%s"
                                .formatted(
                                        report.findings().size(),
                                        report.findings().size() == 1 ? "" : "s"),
                report.partitions(),
                report.finished(),
                report.removed(),
                report.adopted() == 0 ? "" : ", %d on another reader's word".formatted(report.adopted()),
                report.losses().size(),
                report.completed() ? "; the subscription is completed" : "");
    }
}

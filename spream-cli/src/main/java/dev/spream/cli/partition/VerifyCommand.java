package dev.spream.cli.partition;

import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.Members;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageFinding;
import dev.spream.core.partition.LineageReport;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Verifies that the stored partitions prove that no period of the subscription was skipped. */
@Command(
        name = "verify",
        description =
                "Proves from the stored partitions that no period of the subscription was skipped, except the accepted"
                        + " gaps that it lists, from the time on for which proofs are kept.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the lineage is proven", "1:it is not, or could not be read", "2:usage"})
public final class VerifyCommand extends Subcommand {
    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        try (OpenStorage open = arguments.open()) {
            StoredSubscription stored = StoredSubscription.read(open);
            LineageReport report = LineageCheck.check(stored.subscription(), stored.lineage(), stored.proofs());
            print(json ? List.of(json(stored, report)) : lines(report));
            return report.isProven() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    static List<String> lines(LineageReport report) {
        List<String> lines = new ArrayList<>();
        report.findings().forEach(finding -> lines.add("%s: %s".formatted(finding.kind(), finding.message())));
        report.losses()
                .forEach(loss -> lines.add(
                        "accepted: partition %s has a gap from %s to %s: what was committed then may be missing"
                                .formatted(
                                        loss.partition().abbreviated(),
                                        loss.gap().from(),
                                        loss.gap().to())));
        report.provenFrom()
                .ifPresent(from -> lines.add(
                        "not proven: whether everything before %s was read, because proofs of partitions that ended before are no longer kept (proof-retention)"
                                .formatted(from)));
        if (!report.isProven()) {
            lines.add(
                    "changes of these partitions may be missing or out of order: deliver them again by a new subscription"
                            + " that starts before the findings, or compare the consumer's data with the database");
        }
        lines.add(summary(report));
        return lines;
    }

    private static String summary(LineageReport report) {
        return "verify: %s; %d partitions, %d finished, %d of them removed with proof%s, %d accepted gaps%s"
                .formatted(
                        report.isProven()
                                ? report.provenFrom()
                                        .map("proven from %s on"::formatted)
                                        .orElse("proven")
                                : "%d finding%s"
                                        .formatted(
                                                report.findings().size(),
                                                report.findings().size() == 1 ? "" : "s"),
                        report.partitions(),
                        report.finished(),
                        report.removed(),
                        report.adopted() == 0 ? "" : ", %d as claimed by another reader".formatted(report.adopted()),
                        report.losses().size(),
                        report.completed() ? "; the subscription is completed" : "");
    }

    private static String json(StoredSubscription stored, LineageReport report) {
        return new Members()
                .put("subscription", PartitionsJson.subscription(stored))
                .put("proven", report.isProven())
                .put("proven_from", report.provenFrom())
                .put("partitions", report.partitions())
                .put("finished", report.finished())
                .put("removed", report.removed())
                .put("adopted", report.adopted())
                .list("accepted_gaps", report.losses(), VerifyCommand::loss)
                .list("findings", report.findings(), VerifyCommand::finding)
                .toString();
    }

    private static Members loss(LineageReport.Loss loss) {
        return new Members()
                .put("token", loss.partition())
                .put("from", loss.gap().from())
                .put("to", loss.gap().to());
    }

    private static Members finding(LineageFinding finding) {
        return new Members()
                .put("kind", finding.kind())
                .put("tokens", finding.partitions())
                .put("from", finding.from())
                .put("to", finding.to())
                .put("message", finding.message());
    }
}

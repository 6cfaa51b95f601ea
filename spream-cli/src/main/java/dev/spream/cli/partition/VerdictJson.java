package dev.spream.cli.partition;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.LineageFinding;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionToken;
import java.util.List;
import java.util.Locale;

/** The findings of {@code verify} as JSON. */
final class VerdictJson {
    private VerdictJson() {}

    static String write(StoredSubscription stored, LineageReport report) {
        return new Members()
                .put("subscription", PartitionsJson.subscription(stored))
                .put("proven", report.isProven())
                .put("partitions", report.partitions())
                .put("finished", report.finished())
                .put("removed", report.removed())
                .put("adopted", report.adopted())
                .put(
                        "accepted_gaps",
                        report.losses().stream().map(VerdictJson::loss).toList())
                .put(
                        "findings",
                        report.findings().stream().map(VerdictJson::finding).toList())
                .toString();
    }

    private static Members loss(LineageReport.Loss loss) {
        return new Members()
                .put("token", loss.partition().value())
                .put("from", loss.gap().from())
                .put("to", loss.gap().to());
    }

    private static Members finding(LineageFinding finding) {
        return new Members()
                .put("kind", finding.kind().name().toLowerCase(Locale.ROOT))
                .put("tokens", tokens(finding.partitions()))
                .put("from", finding.from())
                .put("to", finding.to())
                .put("message", finding.message());
    }

    private static List<String> tokens(List<PartitionToken> partitions) {
        return partitions.stream().map(PartitionToken::value).toList();
    }
}

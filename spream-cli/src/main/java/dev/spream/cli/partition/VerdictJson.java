package dev.spream.cli.partition;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.LineageFinding;
import dev.spream.core.partition.LineageReport;

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
                .list("accepted_gaps", report.losses(), VerdictJson::loss)
                .list("findings", report.findings(), VerdictJson::finding)
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

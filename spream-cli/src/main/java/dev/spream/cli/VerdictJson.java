package dev.spream.cli;

import dev.spream.core.partition.LineageFinding;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code verify} found, as JSON. */
final class VerdictJson {
    private VerdictJson() {}

    static String write(StoredSubscription stored, LineageReport report) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("subscription", PartitionsJson.subscription(stored));
        members.put("proven", report.isProven());
        members.put("partitions", report.partitions());
        members.put("finished", report.finished());
        members.put("removed", report.removed());
        members.put("adopted", report.adopted());
        members.put(
                "accepted_gaps", report.losses().stream().map(VerdictJson::loss).toList());
        members.put(
                "findings", report.findings().stream().map(VerdictJson::finding).toList());
        return JsonObject.of(members).toString();
    }

    private static Map<String, @Nullable Object> loss(LineageReport.Loss loss) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("token", loss.partition().value());
        members.put("from", loss.gap().from().toString());
        members.put("to", loss.gap().to().toString());
        return members;
    }

    private static Map<String, @Nullable Object> finding(LineageFinding finding) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("kind", finding.kind().name().toLowerCase(Locale.ROOT));
        members.put("tokens", tokens(finding.partitions()));
        finding.from().ifPresent(from -> members.put("from", from.toString()));
        finding.to().ifPresent(to -> members.put("to", to.toString()));
        members.put("message", finding.message());
        return members;
    }

    private static List<String> tokens(List<PartitionToken> partitions) {
        return partitions.stream().map(PartitionToken::value).toList();
    }
}

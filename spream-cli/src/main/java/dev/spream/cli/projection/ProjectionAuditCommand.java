package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Members;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.AuditedAction;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the audited operator actions. */
@Command(
        name = "audit",
        description = "Lists operator actions, such as pause and cutover, with actor and reason, latest first.")
final class ProjectionAuditCommand extends Subcommand {
    private static final List<String> COLUMNS = List.of("AT", "WHO", "ACTION", "OUTCOME", "REASON");

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final LimitArgument limit = new LimitArgument();

    @Option(names = "--json", description = "Print one JSON object per line instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        int most = limit.value();
        try (ConfiguredProjections configured = projection.open()) {
            projection.find(configured.operations());
            List<AuditedAction> acts = configured.operations().audit(projection.name(), most);
            print(
                    json
                            ? acts.stream().map(ProjectionAuditCommand::json).toList()
                            : Columns.table(COLUMNS, acts, ProjectionAuditCommand::row));
            report("changes: %d shown", acts.size());
            return ExitCode.OK;
        }
    }

    private static List<String> row(AuditedAction act) {
        return List.of(
                act.at().toString(),
                PlainText.of(act.act().actor()),
                PlainText.of(act.action()),
                PlainText.of(act.outcome()),
                PlainText.of(act.act().reason()));
    }

    private static String json(AuditedAction act) {
        return new Members()
                .put("at", act.at())
                .put("actor", act.act().actor())
                .put("action", act.action())
                .put("outcome", act.outcome())
                .put("reason", act.act().reason())
                .toString();
    }
}

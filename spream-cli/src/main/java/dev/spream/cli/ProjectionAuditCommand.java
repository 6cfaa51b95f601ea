package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.AuditedAct;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Lists what was changed by hand. */
@Command(
        name = "audit",
        description =
                "Lists who changed something by hand, such as paused or cut over, and why, the last change first.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class ProjectionAuditCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Mixin
    private final LimitArgument limit = new LimitArgument();

    @Option(names = "--json", description = "Print one object of JSON a line instead of text.")
    private boolean json;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        int most = limit.value();
        try (ProjectionDesk desk = arguments.open(others)) {
            projection.find(desk.operations());
            List<AuditedAct> acts = desk.operations().audit(projection.name(), most);
            PrintWriter out = spec.commandLine().getOut();
            (json ? acts.stream().map(ProjectionAuditCommand::json).toList() : table(acts)).forEach(out::println);
            out.flush();
            spec.commandLine().getErr().println("changes: %d shown".formatted(acts.size()));
            return ExitCode.OK;
        }
    }

    private static List<String> table(List<AuditedAct> acts) {
        if (acts.isEmpty()) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("AT", "WHO", "ACTION", "OUTCOME", "REASON"));
        acts.forEach(act -> rows.add(List.of(
                act.at().toString(),
                PlainText.of(act.act().actor()),
                PlainText.of(act.action()),
                PlainText.of(act.outcome()),
                PlainText.of(act.act().reason()))));
        return Columns.align(rows);
    }

    private static String json(AuditedAct act) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("at", act.at().toString());
        members.put("actor", act.act().actor());
        members.put("action", act.action());
        members.put("outcome", act.outcome());
        members.put("reason", act.act().reason());
        return JsonObject.of(members).toString();
    }
}

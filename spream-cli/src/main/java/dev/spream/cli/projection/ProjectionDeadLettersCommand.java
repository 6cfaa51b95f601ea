package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists skipped events and items that are no events. */
@Command(
        name = "deadletters",
        description = "Lists dead letters: skipped events and items that are no events, latest first.",
        footer = {"", "Try: spream projection deadletters entries --limit 1 --payload"})
final class ProjectionDeadLettersCommand extends Subcommand {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final LimitArgument limit = new LimitArgument();

    @Option(
            names = "--payload",
            description = "Also show their content, which may be personal data. Default: not shown.")
    private boolean payload;

    @Option(names = "--json", description = "Print one JSON object per line instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        int most = limit.value();
        try (ConfiguredProjections configured = projection.open()) {
            ProjectionDetails details = projection.find(configured.operations());
            List<ProjectionDeadLetter> letters = configured.operations().deadLetters(projection.name(), most);
            print(
                    json
                            ? letters.stream()
                                    .map(letter -> ProjectionDeadLetters.json(letter, payload))
                                    .toList()
                            : ProjectionDeadLetters.table(letters, payload, Instant.now()));
            report("dead letters: %d, %d shown", details.deadLetters(), letters.size());
            return ExitCode.OK;
        }
    }
}

package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.ProjectionDetails;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Lists what a projection did not apply and never will. */
@Command(
        name = "deadletters",
        description = "Lists what was skipped and what was no event, the last that was kept first.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "Try: spream projection deadletters entries --limit 1 --payload"})
final class ProjectionDeadLettersCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Mixin
    private final LimitArgument limit = new LimitArgument();

    @Option(
            names = "--payload",
            description = "Show what they hold as well, which may be personal data: it is left out unless asked for.")
    private boolean payload;

    @Option(names = "--json", description = "Print one object of JSON a line instead of text.")
    private boolean json;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        int most = limit.value();
        try (ProjectionDesk desk = arguments.open(others)) {
            ProjectionDetails details = projection.find(desk.operations());
            List<ProjectionDeadLetter> letters = desk.operations().deadLetters(projection.name(), most);
            PrintWriter out = spec.commandLine().getOut();
            (json
                            ? letters.stream()
                                    .map(letter -> ProjectionLetters.json(letter, payload))
                                    .toList()
                            : ProjectionLetters.table(letters, payload, Instant.now()))
                    .forEach(out::println);
            out.flush();
            spec.commandLine()
                    .getErr()
                    .println("dead letters: %d, %d shown".formatted(details.deadLetters(), letters.size()));
            return ExitCode.OK;
        }
    }
}

package dev.spream.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** {@code docs/cli.md} has the help of every command. With CLI_WRITE set, it is made to. */
final class CommandPageTest {
    private static final GeneratedPart COMMANDS = new GeneratedPart(Path.of("../docs/cli.md"), "commands", "CLI_WRITE");
    private static final int WIDTH = 110;
    private static final String ENTRY = """

            ### %s

            ```
            %s
            ```
            """;

    @Test
    void the_page_has_the_help_of_every_command() throws IOException {
        CommandLine spream = Main.commandLine().setUsageHelpAutoWidth(false).setUsageHelpWidth(WIDTH);
        StringBuilder page = new StringBuilder();
        withSubcommands(spream)
                .skip(1)
                .forEach(command ->
                        page.append(ENTRY.formatted(command.getCommandSpec().qualifiedName(), usage(command))));
        COMMANDS.is(page.append('\n').toString(), CommandPageTest.class);
    }

    private static Stream<CommandLine> withSubcommands(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream().flatMap(CommandPageTest::withSubcommands));
    }

    private static String usage(CommandLine command) {
        return command.getUsageMessage(Ansi.OFF)
                .lines()
                .map(String::stripTrailing)
                .reduce((text, line) -> text + "\n" + line)
                .orElse("")
                .strip();
    }
}

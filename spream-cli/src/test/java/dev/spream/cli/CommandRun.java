package dev.spream.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * A command that was run in the JVM of the test, where a process would take longer to start than the command takes: its exit
 * code, and what it said itself. What is logged, and what {@code tail} prints, goes past it.
 */
public record CommandRun(int exitCode, List<String> out, List<String> err) {
    public static CommandRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Main.commandLine(arguments);
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        int exitCode = command.execute(arguments);
        return new CommandRun(
                exitCode,
                out.toString().lines().toList(),
                err.toString().lines().toList());
    }
}

package dev.spream.cli.command;

import com.google.errorprone.annotations.FormatMethod;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that prints its results to standard output and its status to standard error. */
public abstract class Reporting implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    protected final String name() {
        return spec.name();
    }

    protected final void print(String line) {
        print(List.of(line));
    }

    /** Prints a result, with numbers in the common format. */
    @FormatMethod
    protected final void print(String format, Object... values) {
        print(String.format(Locale.ROOT, format, values));
    }

    protected final void print(List<String> lines) {
        PrintWriter out = spec.commandLine().getOut();
        lines.forEach(out::println);
        out.flush();
    }

    /** Prints a status line. */
    protected final void report(String line) {
        err().println(line);
    }

    /** Prints a status line, with numbers in the common format. */
    @FormatMethod
    protected final void report(String format, Object... values) {
        report(String.format(Locale.ROOT, format, values));
    }

    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}

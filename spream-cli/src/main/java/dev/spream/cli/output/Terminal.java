package dev.spream.cli.output;

import java.util.OptionalInt;

/** The terminals of the two outputs, if there are any. The launcher detects them, since Java cannot. */
public final class Terminal {
    private Terminal() {}

    /** Returns whether the standard error is a terminal. */
    public static boolean watched() {
        return Boolean.getBoolean("spream.terminal");
    }

    /** Returns the width of the terminal that the standard output is; empty if it is none. */
    public static OptionalInt columns() {
        int columns = Integer.getInteger("spream.terminal.columns", 0);
        return columns > 0 ? OptionalInt.of(columns) : OptionalInt.empty();
    }

    /**
     * Returns whether the standard output has colours: it is a terminal, and {@code NO_COLOR} is not set.
     *
     * @see <a href="https://no-color.org">NO_COLOR</a>
     */
    public static boolean colored() {
        String noColor = System.getenv("NO_COLOR");
        return columns().isPresent() && (noColor == null || noColor.isEmpty());
    }
}

package dev.spream.cli.output;

/** The language of Graphviz. */
public final class Dot {
    private Dot() {}

    /** Returns the text as a quoted string. */
    public static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}

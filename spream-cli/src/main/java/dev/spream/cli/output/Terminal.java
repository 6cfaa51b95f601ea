package dev.spream.cli.output;

/** The terminal of standard error, if there is one. The launcher detects it, since Java cannot. */
public final class Terminal {
    private Terminal() {}

    public static boolean watched() {
        return Boolean.getBoolean("spream.terminal");
    }
}

package dev.spream.cli.output;

/** The terminal behind the standard error, if there is one. The launcher finds out, since Java cannot. */
public final class Terminal {
    private Terminal() {}

    public static boolean watched() {
        return Boolean.getBoolean("spream.terminal");
    }
}

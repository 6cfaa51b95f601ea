package dev.spream.cli.output;

/** Whether a person watches the standard error. The launcher finds out, since Java cannot. */
public final class Terminal {
    private Terminal() {}

    public static boolean watched() {
        return Boolean.getBoolean("spream.terminal");
    }
}

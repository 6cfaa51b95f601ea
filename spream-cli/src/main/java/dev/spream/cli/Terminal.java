package dev.spream.cli;

/** Whether a person watches the standard error. The launcher finds out, since Java cannot. */
final class Terminal {
    private Terminal() {}

    static boolean watched() {
        return Boolean.getBoolean("spream.terminal");
    }
}

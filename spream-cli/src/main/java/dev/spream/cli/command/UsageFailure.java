package dev.spream.cli.command;

/** A command line that cannot be meant; its message is the line that the user sees, with exit code 2. */
public final class UsageFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageFailure(String message) {
        super(message);
    }
}

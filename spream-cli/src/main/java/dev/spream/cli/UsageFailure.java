package dev.spream.cli;

/** A command line that cannot be meant; its message is the line that the user sees, with exit code 2. */
final class UsageFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageFailure(String message) {
        super(message);
    }
}

package dev.spream.cli.command;

import org.jspecify.annotations.Nullable;

/** A failure that the command line itself found; its message is the line that the user sees. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CommandFailure(String message) {
        this(message, null);
    }

    public CommandFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

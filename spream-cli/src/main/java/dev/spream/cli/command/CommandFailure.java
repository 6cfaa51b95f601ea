package dev.spream.cli.command;

import org.jspecify.annotations.Nullable;

/** A failure detected by a command; its message is the line shown to the user. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CommandFailure(String message) {
        this(message, null);
    }

    public CommandFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

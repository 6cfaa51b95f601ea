package dev.spream.cli;

import org.jspecify.annotations.Nullable;

/** A failure that the command line itself found; its message is the line that the user sees. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CommandFailure(String message) {
        this(message, null);
    }

    CommandFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

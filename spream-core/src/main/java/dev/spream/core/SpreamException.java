package dev.spream.core;

import org.jspecify.annotations.Nullable;

/**
 * The root of spream's own exceptions. Its message states what failed and for which ids, what state remains, and what
 * happens next or what to do. Configured secrets are removed from it.
 */
public class SpreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SpreamException(String message) {
        super(Secrets.mask(message));
    }

    public SpreamException(String message, @Nullable Throwable cause) {
        super(Secrets.mask(message), cause);
    }
}

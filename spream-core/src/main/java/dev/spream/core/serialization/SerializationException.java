package dev.spream.core.serialization;

import dev.spream.core.SpreamException;

/** A value that cannot be written as JSON, or text that cannot be read as a value. The same call fails again. */
public final class SerializationException extends SpreamException {
    private static final long serialVersionUID = 1L;

    /** @param message without values, which may be confidential */
    public SerializationException(String message) {
        super(message);
    }
}

package dev.spream.sink.files;

import dev.spream.core.StorageException;
import org.jspecify.annotations.Nullable;

/** The failure of an {@link ObjectStore}. A write that failed may have taken effect; every call may be repeated. */
public final class ObjectStoreException extends StorageException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates a failure.
     *
     * @param message the object and the place, what failed, and what to do
     * @param retryable whether the same call may succeed later
     */
    public ObjectStoreException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, retryable, cause);
    }
}

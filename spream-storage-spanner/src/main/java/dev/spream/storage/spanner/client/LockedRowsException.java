package dev.spream.storage.spanner.client;

import dev.spream.core.StorageException;
import org.jspecify.annotations.Nullable;

/** A write timed out on rows that another transaction has locked, while the server answers. A retry may succeed. */
public final class LockedRowsException extends StorageException {
    private static final long serialVersionUID = 1L;

    public LockedRowsException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}

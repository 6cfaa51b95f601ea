package dev.spream.storage.spanner;

import dev.spream.core.StorageException;
import org.jspecify.annotations.Nullable;

/** A write waited in vain for rows that another transaction has locked, before a server that answers. Trying again may help. */
final class LockedRowsException extends StorageException {
    private static final long serialVersionUID = 1L;

    LockedRowsException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}

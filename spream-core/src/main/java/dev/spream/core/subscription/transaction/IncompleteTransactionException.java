package dev.spream.core.subscription.transaction;

import dev.spream.core.SpreamException;

/** A transaction of which changes are missing, against what the stream says of it. */
public final class IncompleteTransactionException extends SpreamException {
    private static final long serialVersionUID = 1L;

    IncompleteTransactionException(String message) {
        super(message);
    }
}

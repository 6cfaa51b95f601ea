package dev.spream.projection.runner;

import dev.spream.core.LoggedFailure;
import dev.spream.core.Secrets;
import dev.spream.core.SpreamException;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionStore;

/**
 * The text of a failure that is stored and logged. A failure that is not spream's own is described by the store, which
 * can interpret its database's errors; otherwise the text is its type and where it was thrown, because its message may
 * contain an event's data.
 */
final class ErrorText {
    private static final int MAX_LENGTH = 1_000;

    private ErrorText() {}

    /** Returns the text, with the help of a store. */
    static String of(ProjectionStore<?> store, Exception failure) {
        return failure instanceof SpreamException ? of(failure) : shortened(described(store, failure));
    }

    /** Returns the store's description. A store that fails to describe a failure must not hide it. */
    private static String described(ProjectionStore<?> store, Exception failure) {
        try {
            return store.describe(failure);
        } catch (RuntimeException e) {
            return ProjectionException.types(failure);
        }
    }

    /** Returns the text without the help of a store. */
    static String of(Throwable failure) {
        return shortened(
                failure instanceof SpreamException
                        ? LoggedFailure.message(failure)
                        : ProjectionException.types(failure));
    }

    private static String shortened(String message) {
        String text = Secrets.mask(message);
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
    }
}

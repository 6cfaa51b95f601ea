package dev.spream.projection.runner;

import dev.spream.core.LoggedFailure;
import dev.spream.core.Secrets;
import dev.spream.core.SpreamException;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionStore;

/**
 * The text of a failure that is stored and logged. A failure that is not spream's own is described by the store, which
 * knows its database's errors; otherwise it tells its type and where it was thrown, and nothing else: its message may
 * hold an event's data.
 */
final class ErrorText {
    private static final int MAX_LENGTH = 1_000;

    private ErrorText() {}

    /** As a store describes it. */
    static String of(ProjectionStore<?> store, Exception failure) {
        return failure instanceof SpreamException ? of(failure) : shortened(described(store, failure));
    }

    /** A store that cannot describe a failure must not hide it. */
    private static String described(ProjectionStore<?> store, Exception failure) {
        try {
            return store.describe(failure);
        } catch (RuntimeException e) {
            return ProjectionException.types(failure);
        }
    }

    /** Without a store. */
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

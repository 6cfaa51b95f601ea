package dev.spream.storage.jdbc.projection;

import static java.util.Objects.requireNonNull;

import java.io.Serial;

/** What the work threw, on its way past everything that would take it for a failure of the store. */
final class WorkFailure extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    WorkFailure(Exception cause) {
        super(cause.getMessage(), cause, true, false);
    }

    /** As it was thrown, with what failed behind it. */
    Exception thrown() {
        Exception thrown = (Exception) requireNonNull(getCause());
        for (Throwable suppressed : getSuppressed()) {
            thrown.addSuppressed(suppressed);
        }
        return thrown;
    }
}

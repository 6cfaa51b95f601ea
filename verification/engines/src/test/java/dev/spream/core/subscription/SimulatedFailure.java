package dev.spream.core.subscription;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The exception of simulated parts, with its recognition in the engine's own exceptions. */
final class SimulatedFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String PREFIX = "simulated: ";

    SimulatedFailure(String message) {
        super(message(message), null, false, false);
    }

    static String message(String message) {
        return PREFIX + message;
    }

    /** Returns whether a failure, its cause, or a suppressed one is simulated. */
    static boolean isSimulated(@Nullable Throwable t) {
        return isSimulated(t, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static boolean isSimulated(@Nullable Throwable t, Set<Throwable> seen) {
        if (t == null || !seen.add(t)) {
            return false;
        }
        String message = t.getMessage();
        return (message != null && message.startsWith(PREFIX))
                || isSimulated(t.getCause(), seen)
                || Arrays.stream(t.getSuppressed()).anyMatch(suppressed -> isSimulated(suppressed, seen));
    }
}

package dev.spream.core.subscription;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What simulated parts throw, and how it is recognised in what the engine makes of it. */
final class SimulatedFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String PREFIX = "simulated: ";

    SimulatedFailure(String message) {
        super(message(message), null, false, false);
    }

    static String message(String message) {
        return PREFIX + message;
    }

    /** Whether a failure, or what caused it, or what came with it, is simulated. */
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

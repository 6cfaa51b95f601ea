package dev.spream.sinks.http;

import dev.spream.outbox.ReasonCode;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The meaning of a response's status for its request, as {@link HttpSender} documents it.
 *
 * @param retryable statuses that mean this here, overriding the table
 * @param permanent likewise
 * @param unknown likewise
 */
record StatusTable(Set<Integer> retryable, Set<Integer> permanent, Set<Integer> unknown) {
    static final StatusTable DEFAULT = new StatusTable(Set.of(), Set.of(), Set.of());
    static final int MIN = 201;
    static final int MAX = 599;

    private static final Set<Integer> MOVED = Set.of(301, 307, 308);
    private static final Set<Integer> UNAUTHORIZED = Set.of(401, 403, 407, 511);
    private static final Set<Integer> MISPLACED = Set.of(404, 405, 421, 426, 501, 505);
    private static final Set<Integer> BUSY = Set.of(408, 425, 429, 503);
    private static final Set<Integer> MALFORMED = Set.of(400, 406, 411, 413, 414, 415, 417, 431);
    private static final int CONFLICT = 409;

    enum Verdict {
        TAKEN,
        RETRYABLE,
        PERMANENT,
        UNKNOWN
    }

    StatusTable {
        retryable = Set.copyOf(retryable);
        permanent = Set.copyOf(permanent);
        unknown = Set.copyOf(unknown);
        Set<Integer> said = new HashSet<>();
        Stream.of(retryable, permanent, unknown).flatMap(Set::stream).sorted().forEach(status -> {
            if (!said.add(requireStatus(status))) {
                throw new IllegalArgumentException("the status %d is configured with two meanings".formatted(status));
            }
        });
    }

    static int requireStatus(int status) {
        if (status < MIN || status > MAX) {
            throw new IllegalArgumentException("status is %d, must be %d to %d".formatted(status, MIN, MAX));
        }
        return status;
    }

    Verdict verdict(int status) {
        if (retryable.contains(status)) {
            return Verdict.RETRYABLE;
        }
        if (permanent.contains(status)) {
            return Verdict.PERMANENT;
        }
        return unknown.contains(status) ? Verdict.UNKNOWN : usual(status);
    }

    private static Verdict usual(int status) {
        if (status / 100 == 2) {
            return Verdict.TAKEN;
        }
        if (MOVED.contains(status)
                || UNAUTHORIZED.contains(status)
                || MISPLACED.contains(status)
                || BUSY.contains(status)) {
            return Verdict.RETRYABLE;
        }
        return status / 100 == 4 && status != CONFLICT ? Verdict.PERMANENT : Verdict.UNKNOWN;
    }

    ReasonCode reason(int status) {
        if (UNAUTHORIZED.contains(status)) {
            return ReasonCode.UNAUTHORIZED;
        }
        return switch (status) {
            case 408, 504 -> ReasonCode.TIMEOUT;
            case 429 -> ReasonCode.RATE_LIMITED;
            default ->
                switch (verdict(status)) {
                    case RETRYABLE -> ReasonCode.UNAVAILABLE;
                    case PERMANENT -> MALFORMED.contains(status) ? ReasonCode.INVALID_REQUEST : ReasonCode.REJECTED;
                    case TAKEN, UNKNOWN -> ReasonCode.OUTCOME_UNKNOWN;
                };
        };
    }

    static String advice(int status) {
        if (UNAUTHORIZED.contains(status)) {
            return "; check the sender's authorization and the permissions of its user";
        }
        if (MISPLACED.contains(status)) {
            return "; check the sender's URL and method, and whether the receiver is deployed";
        }
        return status / 100 == 3 ? "; redirects are not followed, check the sender's URL" : "";
    }
}

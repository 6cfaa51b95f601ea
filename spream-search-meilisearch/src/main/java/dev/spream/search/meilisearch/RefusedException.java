package dev.spream.search.meilisearch;

import dev.spream.projection.search.SearchException;
import java.util.function.Supplier;

/** The server refused a request, or a task failed. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final SearchException failure;

    RefusedException(String code, SearchException failure) {
        super(failure.getMessage(), failure, false, false);
        this.code = code;
        this.failure = failure;
    }

    /** Returns the result of the request; a refusal is thrown as the exception for callers of the engine. */
    static <R> R passedOn(Supplier<R> request) {
        try {
            return request.get();
        } catch (RefusedException e) {
            throw e.failure();
        }
    }

    /** Returns the result of the request, or the other value if there is no such index. */
    static <R> R orIfNoIndex(R other, Supplier<R> request) {
        try {
            return request.get();
        } catch (RefusedException e) {
            if (e.code.equals("index_not_found")) {
                return other;
            }
            throw e;
        }
    }

    /** Returns the server's code, such as {@code index_not_found}. */
    String code() {
        return code;
    }

    /** Returns whether an intermediary answered instead of the server, such as a proxy that timed out. */
    boolean mayBeDone() {
        return code.startsWith("http_5") || code.equals("http_408");
    }

    /** Returns the exception for callers of the engine. */
    SearchException failure() {
        return failure;
    }
}

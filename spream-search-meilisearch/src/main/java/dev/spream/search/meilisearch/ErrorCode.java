package dev.spream.search.meilisearch;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.util.Set;

/**
 * An error of the server, and its meaning. The messages of errors quote documents, so they are omitted.
 *
 * @param type one of {@code invalid_request}, {@code internal}, {@code auth}, {@code system}; {@code no_server} for a
 *     response that is not the server's
 * @param code the code of the error, such as {@code invalid_document_id}
 */
record ErrorCode(String type, String code) {
    private static final Set<String> BY_OPERATOR = Set.of("auth", "no_server");
    private static final Set<String> WHATEVER =
            Set.of("index_not_found", "index_primary_key_already_exists", "invalid_state");
    private static final Set<String> OF_A_DOCUMENT = Set.of(
            "invalid_document_id",
            "missing_document_id",
            "invalid_document_geo_field",
            "invalid_document_geojson_field",
            "document_fields_limit_reached",
            "max_fields_limit_exceeded",
            "malformed_payload", // no single document is malformed, but one may contain something that cannot be read
            "payload_too_large", // may succeed with fewer documents
            "http_413"); // the same, from a proxy
    private static final String OF_A_SEARCH = "invalid_search_";
    private static final Set<String> MAY_PASS =
            Set.of("task_not_found", "task_file_not_found"); // the server deletes old tasks

    static ErrorCode of(JsonObject error) {
        return new ErrorCode(
                error.string("type").orElse("internal"), error.string("code").orElse("unknown"));
    }

    /** Returns the error for a response that is not the server's, such as that of a proxy. */
    static ErrorCode ofStatus(int status) {
        return new ErrorCode(type(status), "http_" + status);
    }

    private static String type(int status) {
        return switch (status) {
            case 401, 403 -> "auth";
            case 413 -> "invalid_request";
            case 408, 425, 429 -> "internal";
            default -> status >= 500 ? "internal" : "no_server";
        };
    }

    FailureKind kind() {
        if (BY_OPERATOR.contains(type)) {
            return FailureKind.LOCAL;
        }
        if (WHATEVER.contains(code)) {
            return FailureKind.FATAL;
        }
        if (!type.equals("invalid_request") || MAY_PASS.contains(code)) {
            return FailureKind.TRANSIENT;
        }
        boolean ofWhatItWasGiven = OF_A_DOCUMENT.contains(code) || code.startsWith(OF_A_SEARCH);
        return ofWhatItWasGiven ? FailureKind.POISON : FailureKind.FATAL; // concerns the request itself, or the server
    }

    /** @param what the failed request */
    RefusedException refused(String what) {
        return new RefusedException(
                code, new SearchException(kind(), "%s: %s; %s".formatted(what, code, advice()), null));
    }

    private String advice() {
        return switch (kind()) {
            case TRANSIENT, CONFLICT -> "nothing of it was applied, and it may succeed later";
            case POISON -> "nothing of it was applied, and repeating it will not help";
            case LOCAL ->
                "this process applies nothing until the server's address or the API key in its configuration is corrected";
            case FATAL -> "nothing is applied until an operator repairs the server or the index";
        };
    }
}

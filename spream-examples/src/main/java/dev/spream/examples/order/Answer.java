package dev.spream.examples.order;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;

/**
 * What an HTTP server answers.
 *
 * @param headers besides the content type
 */
record Answer(int status, String contentType, JsonElement body, Map<String, String> headers) {
    static final int OK = 200;
    static final int ACCEPTED = 202;
    static final int BAD_REQUEST = 400;
    static final int NOT_FOUND = 404;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int CONFLICT = 409;
    static final int UNPROCESSABLE = 422;
    static final int SERVER_ERROR = 500;
    static final int UNAVAILABLE = 503;

    Answer {
        headers = Map.copyOf(headers);
    }

    static Answer json(int status, JsonElement body) {
        return new Answer(status, "application/json", body, Map.of());
    }

    /** Problem details, as RFC 9457 has them. */
    static Answer problem(int status, String title, String detail) {
        JsonObject problem = new JsonObject();
        problem.addProperty("type", "about:blank");
        problem.addProperty("title", title);
        problem.addProperty("status", status);
        problem.addProperty("detail", detail);
        return new Answer(status, "application/problem+json", problem, Map.of());
    }

    /** The path is there, for other methods: 405 with the header that RFC 9110 requires. */
    static Answer notAllowed(String methods) {
        return problem(METHOD_NOT_ALLOWED, "Method not allowed", "Here there is " + methods + " alone.")
                .header("Allow", methods);
    }

    /** With a member more, in a body that is an object. */
    Answer with(String member, String value) {
        JsonObject extended = body.getAsJsonObject().deepCopy();
        extended.addProperty(member, value);
        return new Answer(status, contentType, extended, headers);
    }

    Answer header(String name, String value) {
        return new Answer(status, contentType, body, Map.of(name, value));
    }
}

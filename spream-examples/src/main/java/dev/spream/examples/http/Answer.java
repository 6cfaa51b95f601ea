package dev.spream.examples.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An HTTP response.
 *
 * @param headers in addition to the content type
 */
public record Answer(int status, String contentType, String body, Map<String, String> headers) {
    public static final int OK = 200;
    public static final int CREATED = 201;
    public static final int ACCEPTED = 202;
    public static final int BAD_REQUEST = 400;
    public static final int NOT_FOUND = 404;
    public static final int METHOD_NOT_ALLOWED = 405;
    public static final int CONFLICT = 409;
    public static final int UNPROCESSABLE = 422;
    public static final int SERVER_ERROR = 500;
    public static final int UNAVAILABLE = 503;

    public Answer {
        headers = Map.copyOf(headers);
    }

    public static Answer json(int status, JsonElement body) {
        return new Answer(status, "application/json", body.toString(), Map.of());
    }

    /** A text that is answered as it is. */
    public static Answer text(int status, String contentType, String text) {
        return new Answer(status, contentType, text, Map.of());
    }

    /** Problem details, as RFC 9457 has them. */
    public static Answer problem(int status, String title, String detail) {
        JsonObject problem = new JsonObject();
        problem.addProperty("type", "about:blank");
        problem.addProperty("title", title);
        problem.addProperty("status", status);
        problem.addProperty("detail", detail);
        return new Answer(status, "application/problem+json", problem.toString(), Map.of());
    }

    /** The path is there, for other methods: 405 with the header that RFC 9110 requires. */
    public static Answer notAllowed(String methods) {
        return problem(METHOD_NOT_ALLOWED, "Method not allowed", "Here there is " + methods + " alone.")
                .header("Allow", methods);
    }

    /** Returns this response with another member in its body, which must be a JSON object. */
    public Answer with(String member, String value) {
        JsonObject extended = Json.parse(body).getAsJsonObject();
        extended.addProperty(member, value);
        return new Answer(status, contentType, extended.toString(), headers);
    }

    public Answer header(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        return new Answer(status, contentType, body, all);
    }
}

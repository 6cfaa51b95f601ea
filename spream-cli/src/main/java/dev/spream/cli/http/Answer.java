package dev.spream.cli.http;

import java.nio.charset.StandardCharsets;

/**
 * An HTTP response.
 *
 * @param status the HTTP status
 * @param contentType the content type with its charset
 * @param body the whole body; not modified after construction
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Answer(int status, String contentType, byte[] body) {
    static final int OK = 200;
    static final int BAD_REQUEST = 400;
    static final int UNAUTHORIZED = 401;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int TOO_LARGE = 413;
    static final int UNSUPPORTED_MEDIA_TYPE = 415;
    static final int MISDIRECTED = 421;
    static final int FAILED = 500;
    static final int UNAVAILABLE = 503;

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";

    static Answer of(int status, String contentType, String body) {
        return new Answer(status, contentType, body.getBytes(StandardCharsets.UTF_8));
    }

    static Answer text(int status, String line) {
        return of(status, TEXT, line + "\n");
    }

    static Answer json(String object) {
        return of(OK, JSON, object);
    }
}

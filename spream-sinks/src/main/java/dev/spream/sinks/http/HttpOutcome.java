package dev.spream.sinks.http;

import java.net.http.HttpHeaders;
import java.util.Optional;

/** The outcome of a call. */
sealed interface HttpOutcome {

    record Head(int status, HttpHeaders headers) {
        boolean isSuccess() {
            return status / 100 == 2;
        }
    }

    /** The response was received completely; without its body if that was longer than the limit. */
    record Answered(Head head, Optional<byte[]> body) implements HttpOutcome {}

    /**
     * No response was received, or not completely.
     *
     * @param head the head of the response, if it was received
     * @param cause the failure; a {@link java.util.concurrent.TimeoutException} after a timeout
     */
    record Broken(Optional<Head> head, Throwable cause) implements HttpOutcome {}
}

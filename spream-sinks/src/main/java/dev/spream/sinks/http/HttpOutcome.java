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

    /** The answer came, to its end; without its body if that was longer than what was to be kept. */
    record Answered(Head head, Optional<byte[]> body) implements HttpOutcome {}

    /**
     * No answer came, or not to its end.
     *
     * @param head of the answer, if it came that far
     * @param cause a {@link java.util.concurrent.TimeoutException} if the time was over
     */
    record Broken(Optional<Head> head, Throwable cause) implements HttpOutcome {}
}

package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.Fault;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/**
 * The errors of streams that break in passing, with the texts that clients know them by: the Spanner client tells an INTERNAL
 * that may be tried again from one that may not by nothing else.
 *
 * @see <a
 *     href="https://github.com/googleapis/java-spanner/blob/main/google-cloud-spanner/src/main/java/com/google/cloud/spanner/IsRetryableInternalError.java">IsRetryableInternalError</a>
 */
final class FaultErrors {
    private FaultErrors() {}

    static StatusRuntimeException unavailable() {
        return of(Fault.Kind.UNAVAILABLE);
    }

    static StatusRuntimeException of(Fault.Kind kind) {
        return switch (kind) {
            case GO_AWAY ->
                error(
                        Status.UNAVAILABLE,
                        "Connection closed after GOAWAY. HTTP/2 error code: NO_ERROR, debug data: server_shutting_down");
            case UNEXPECTED_EOS -> error(Status.INTERNAL, "Received unexpected EOS on DATA frame from server.");
            case RST_STREAM -> error(Status.INTERNAL, "stream terminated by RST_STREAM");
            case RESOURCE_EXHAUSTED ->
                error(Status.RESOURCE_EXHAUSTED, "Resource has been exhausted (e.g. check quota).");
            case DEADLINE_EXCEEDED ->
                error(Status.DEADLINE_EXCEEDED, "Deadline expired before operation could complete.");
            default -> error(Status.UNAVAILABLE, "The service is currently unavailable.");
        };
    }

    private static StatusRuntimeException error(Status status, String text) {
        return status.withDescription(text).asRuntimeException();
    }
}

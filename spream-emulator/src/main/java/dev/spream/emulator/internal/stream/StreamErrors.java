package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.Fault;
import dev.spream.emulator.internal.sql.Errors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.List;

/**
 * The errors of change stream queries. Codes and texts are those of Google's emulator, because readers distinguish the
 * meanings of one code by the text.
 *
 * @see <a href="https://github.com/GoogleCloudPlatform/cloud-spanner-emulator/blob/master/common/errors.cc">errors.cc</a>
 * @see <a
 *     href="https://github.com/googleapis/java-spanner/blob/main/google-cloud-spanner/src/main/java/com/google/cloud/spanner/IsRetryableInternalError.java">IsRetryableInternalError</a>
 */
final class StreamErrors {
    private StreamErrors() {}

    static StatusRuntimeException startTooOld(Instant earliest, Instant start) {
        return Errors.outOfRange(
                "Specified start_timestamp is too far in the past. Please specify a start_timestamp within the"
                        + " earliest read timestamp: " + text(earliest) + ". Received start_timestamp: " + text(start)
                        + ".");
    }

    /** Returns the error of a start outside the partition's lifetime; its end is null while the partition is alive. */
    static StatusRuntimeException startOutsidePartition(Instant from, Instant to, Instant start) {
        return Errors.outOfRange(
                "Specified start_timestamp is invalid for the partition. Please specify a start_timestamp within "
                        + text(from) + " and " + (to.equals(Instant.MAX) ? "infinite-future" : text(to))
                        + ". Received start_timestamp: " + text(start) + ".");
    }

    static StatusRuntimeException expiredPartition() {
        return Errors.outOfRange(
                "This partition is no longer valid. All Change Stream records associated with this partition have"
                        + " expired and have been deleted, as specified by the Change Stream retention period.");
    }

    static StatusRuntimeException streamNotFound(String name) {
        return Errors.notFound("Change Stream not found: " + name);
    }

    /** Returns the error of a drop that streams prevent; an empty column means the table. */
    static StatusRuntimeException stillNamed(String table, String column, List<String> streams) {
        String names = String.join(",", streams);
        if (column.isEmpty()) {
            return Errors.failedPrecondition("Cannot drop table " + table + ". Table " + table + " is tracked by "
                    + streams.size()
                    + " Change Stream: " + names + ". Tables explicitly tracked by a Change Stream cannot be dropped."
                    + " Please drop the Change Stream or modify its FOR clause to stop tracking the table explicitly before"
                    + " dropping the table.");
        }
        String path = table + "." + column;
        return Errors.failedPrecondition(
                "Cannot drop column " + path + " . Column " + path + " is tracked by " + streams.size()
                        + " Change Stream: " + names
                        + ". Columns explicitly tracked by a Change Stream cannot be dropped. Please"
                        + " alter the Change Stream to stop tracking the column before dropping the column.");
    }

    /** Returns the error of a temporary fault; clients recognise a retryable INTERNAL by these texts. */
    static StatusRuntimeException fault(Fault.Kind kind) {
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

    static StatusRuntimeException closed() {
        return error(Status.UNAVAILABLE, "the emulator is shutting down");
    }

    static StatusRuntimeException cancelled() {
        return error(Status.CANCELLED, "the change stream query was cancelled");
    }

    /** Returns a time as Google's emulator writes it: with an offset in place of the Z. */
    static String text(Instant instant) {
        return instant.toString().replace("Z", "+00:00");
    }
}

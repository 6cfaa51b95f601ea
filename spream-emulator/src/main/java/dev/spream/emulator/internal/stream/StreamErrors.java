package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.sql.Errors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.List;

/**
 * The errors of change stream queries. Codes and texts are those of Google's emulator, because readers tell the meanings of
 * one code apart by the text.
 *
 * @see <a href="https://github.com/GoogleCloudPlatform/cloud-spanner-emulator/blob/master/common/errors.cc">errors.cc</a>
 */
final class StreamErrors {
    private StreamErrors() {}

    static StatusRuntimeException nullStart() {
        return Errors.invalidArgument("start_timestamp must not be null.");
    }

    static StatusRuntimeException startTooOld(Instant earliest, Instant start) {
        return outOfRange(
                "Specified start_timestamp is too far in the past. Please specify a start_timestamp within the"
                        + " earliest read timestamp: " + text(earliest) + ". Received start_timestamp: " + text(start)
                        + ".");
    }

    static StatusRuntimeException startInFuture(Instant earliest, Instant latest, Instant start) {
        return outOfRange(
                "Specified start_timestamp is too far in the future. Please specify a start_timestamp within the"
                        + " earliest read timestamp: " + text(earliest) + ", and the current maximum start timestamp: "
                        + text(latest) + ". Received start_timestamp: " + text(start) + ".");
    }

    static StatusRuntimeException startAfterEnd(Instant start, Instant end) {
        return Errors.invalidArgument(
                "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received start_timestamp: "
                        + text(start) + ", end_timestamp: " + text(end) + ".");
    }

    static StatusRuntimeException nullHeartbeat() {
        return Errors.invalidArgument("heartbeat_milliseconds must not be null.");
    }

    static StatusRuntimeException heartbeatOutOfRange(long min, long max, long heartbeat) {
        return outOfRange("heartbeat_milliseconds must be within min " + min + " and max " + max
                + ". Received heartbeat_milliseconds: " + heartbeat + ".");
    }

    static StatusRuntimeException readOptions() {
        return Errors.unimplemented("read_options must be null.");
    }

    static StatusRuntimeException foreignToken(String token) {
        return Errors.invalidArgument(
                "Specified partition_token is invalid, as it does not belong to the Change Stream associated with"
                        + " the TVF. Received partition_token: " + token + ".");
    }

    /** The end is null while the partition lives. */
    static StatusRuntimeException startOutsidePartition(Instant from, Instant to, Instant start) {
        return outOfRange(
                "Specified start_timestamp is invalid for the partition. Please specify a start_timestamp within "
                        + text(from) + " and " + (to.equals(Instant.MAX) ? "infinite-future" : text(to))
                        + ". Received start_timestamp: " + text(start) + ".");
    }

    static StatusRuntimeException expiredPartition() {
        return outOfRange(
                "This partition is no longer valid. All Change Stream records associated with this partition have"
                        + " expired and have been deleted, as specified by the Change Stream retention period.");
    }

    static StatusRuntimeException streamNotFound(String name) {
        return Errors.notFound("Change Stream not found: " + name);
    }

    /** An empty column means the table. */
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

    static StatusRuntimeException closed() {
        return Status.UNAVAILABLE
                .withDescription("the emulator is shutting down")
                .asRuntimeException();
    }

    static StatusRuntimeException cancelled() {
        return Status.CANCELLED
                .withDescription("the change stream query was cancelled")
                .asRuntimeException();
    }

    private static StatusRuntimeException outOfRange(String text) {
        return Status.OUT_OF_RANGE.withDescription(text).asRuntimeException();
    }

    /** As the emulator writes a time: with an offset in place of the Z. */
    private static String text(Instant instant) {
        return instant.toString().replace("Z", "+00:00");
    }
}

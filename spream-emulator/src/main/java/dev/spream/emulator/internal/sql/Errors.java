package dev.spream.emulator.internal.sql;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.rpc.ResourceInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;

/**
 * The failures that clients receive, in Spanner's codes and texts. Resource and retry details are sent as trailers,
 * where the clients look for them.
 */
public final class Errors {
    private static final Metadata.Key<RetryInfo> RETRY_INFO = ProtoUtils.keyForProto(RetryInfo.getDefaultInstance());
    private static final Metadata.Key<ResourceInfo> RESOURCE_INFO =
            ProtoUtils.keyForProto(ResourceInfo.getDefaultInstance());
    private static final Metadata.Key<com.google.rpc.Status> DETAILS = Metadata.Key.of(
            "grpc-status-details-bin", ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));
    private static final Duration RETRY_DELAY =
            Duration.newBuilder().setNanos(10_000_000).build();

    private Errors() {}

    public static StatusRuntimeException invalidArgument(String message, Object... args) {
        return error(Status.INVALID_ARGUMENT, message, args);
    }

    public static StatusRuntimeException notFound(String message, Object... args) {
        return error(Status.NOT_FOUND, message, args);
    }

    public static StatusRuntimeException alreadyExists(String message, Object... args) {
        return error(Status.ALREADY_EXISTS, message, args);
    }

    public static StatusRuntimeException failedPrecondition(String message, Object... args) {
        return error(Status.FAILED_PRECONDITION, message, args);
    }

    public static StatusRuntimeException permissionDenied(String message, Object... args) {
        return error(Status.PERMISSION_DENIED, message, args);
    }

    public static StatusRuntimeException outOfRange(String message) {
        return error(Status.OUT_OF_RANGE, message);
    }

    public static StatusRuntimeException deadlineExceeded(String message, Object... args) {
        return error(Status.DEADLINE_EXCEEDED, message, args);
    }

    public static StatusRuntimeException unimplemented(String message, Object... args) {
        return error(Status.UNIMPLEMENTED, message, args);
    }

    public static StatusRuntimeException internal(Throwable cause) {
        return Status.INTERNAL
                .withDescription("the emulator failed: " + cause)
                .withCause(cause)
                .asRuntimeException();
    }

    /** Returns the error of a transaction that has ended and that its client should retry. */
    public static StatusRuntimeException aborted(String message) {
        RetryInfo retry = RetryInfo.newBuilder().setRetryDelay(RETRY_DELAY).build();
        return withDetail(Status.ABORTED.withDescription(message), RETRY_INFO, retry);
    }

    public static StatusRuntimeException sessionNotFound(String name) {
        return resourceNotFound("Session", "google.spanner.v1.Session", name);
    }

    public static StatusRuntimeException databaseNotFound(String name) {
        return resourceNotFound("Database", "google.spanner.admin.database.v1.Database", name);
    }

    public static StatusRuntimeException instanceNotFound(String name) {
        return resourceNotFound("Instance", "google.spanner.admin.instance.v1.Instance", name);
    }

    private static StatusRuntimeException resourceNotFound(String kind, String type, String name) {
        String message = "%s not found: %s".formatted(kind, name);
        ResourceInfo resource = ResourceInfo.newBuilder()
                .setResourceType("type.googleapis.com/" + type)
                .setResourceName(name)
                .setDescription(kind + " does not exist.")
                .build();
        return withDetail(Status.NOT_FOUND.withDescription(message), RESOURCE_INFO, resource);
    }

    private static <T extends Message> StatusRuntimeException withDetail(Status status, Metadata.Key<T> key, T detail) {
        Metadata trailers = new Metadata();
        trailers.put(key, detail);
        trailers.put(
                DETAILS,
                com.google.rpc.Status.newBuilder()
                        .setCode(status.getCode().value())
                        .setMessage(String.valueOf(status.getDescription()))
                        .addDetails(Any.pack(detail))
                        .build());
        return status.asRuntimeException(trailers);
    }

    @SuppressWarnings("AnnotateFormatMethod") // a message without arguments may hold a percent sign
    private static StatusRuntimeException error(Status status, String message, Object... args) {
        return status.withDescription(args.length == 0 ? message : message.formatted(args))
                .asRuntimeException();
    }
}

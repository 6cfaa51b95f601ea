package dev.spream.sink.s3;

import static java.util.Objects.requireNonNull;

import dev.spream.sink.files.ObjectStore;
import dev.spream.sink.files.ObjectStoreException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The objects of a bucket whose keys begin with a prefix. An object is stored once by {@code If-None-Match}, which Amazon
 * S3 has had since 2024, and other stores with its API have or lack: the sink checks it at its start.
 */
public final class S3Store implements ObjectStore {
    private static final int PRECONDITION_FAILED = 412;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int SERVER_ERROR = 500;
    private static final Set<String> PASSING =
            Set.of("ExpiredToken", "RequestTimeTooSkewed", "RequestTimeout", "SlowDown", "Throttling", "InternalError");

    private final S3Client client;
    private final String bucket;
    private final String prefix;

    private S3Store(S3Client client, String bucket, String prefix) {
        this.client = requireNonNull(client, "client");
        this.bucket = requireNonNull(bucket, "bucket");
        this.prefix = prefix;
    }

    /**
     * Opens a store on a client, which it closes.
     *
     * @param prefix the beginning of all keys, without a slash at its end; empty for none
     */
    public static S3Store of(S3Client client, String bucket, String prefix) {
        return new S3Store(client, bucket, prefix.isEmpty() ? "" : prefix + "/");
    }

    @Override
    public void put(String name, byte[] content) {
        calling("stored", name, () -> client.putObject(request(name).build(), body(content)));
    }

    @Override
    public boolean putIfAbsent(String name, byte[] content) {
        return calling("stored", name, () -> {
            try {
                client.putObject(request(name).ifNoneMatch("*").build(), body(content));
                return true;
            } catch (AwsServiceException e) {
                if (e.statusCode() == PRECONDITION_FAILED) {
                    return false;
                }
                throw e;
            }
        });
    }

    private PutObjectRequest.Builder request(String name) {
        return PutObjectRequest.builder().bucket(bucket).key(prefix + name);
    }

    /** Returns the content without copying it. */
    private static RequestBody body(byte[] content) {
        return RequestBody.fromContentProvider(
                ContentStreamProvider.fromByteArrayUnsafe(content), content.length, "application/octet-stream");
    }

    @Override
    public Optional<byte[]> get(String name) {
        return calling("read", name, () -> {
            try {
                return Optional.of(client.getObjectAsBytes(
                                request -> request.bucket(bucket).key(prefix + name))
                        .asByteArrayUnsafe());
            } catch (NoSuchKeyException e) {
                return Optional.empty();
            }
        });
    }

    @Override
    public List<String> list(String names) {
        return list(names, request -> {});
    }

    @Override
    public boolean seeks() {
        return true;
    }

    @Override
    public List<String> listAfter(String names, String name) {
        return list(names, request -> request.startAfter(prefix + name));
    }

    /** Sorts the names: not every store with the API of S3 does, nor do S3's directory buckets. */
    private List<String> list(String names, Consumer<ListObjectsV2Request.Builder> more) {
        return calling(
                "listed",
                names,
                () -> client
                        .listObjectsV2Paginator(
                                request -> more.accept(request.bucket(bucket).prefix(prefix + names)))
                        .contents()
                        .stream()
                        .map(S3Object::key)
                        .map(key -> key.substring(prefix.length()))
                        .sorted()
                        .toList());
    }

    @Override
    public void delete(String name) {
        calling(
                "deleted",
                name,
                () -> client.deleteObject(request -> request.bucket(bucket).key(prefix + name)));
    }

    private <T> T calling(String done, String name, Supplier<T> call) {
        try {
            return call.get();
        } catch (AwsServiceException e) {
            throw failed(done, name, code(e) + advice(e), isPassing(e), e);
        } catch (SdkClientException e) { // no answer, no connection, or no credentials yet
            throw failed(done, name, String.valueOf(e.getMessage()), true, e);
        }
    }

    private ObjectStoreException failed(String done, String name, String why, boolean retryable, Exception cause) {
        return new ObjectStoreException("%s/%s could not be %s: %s".formatted(this, name, done, why), retryable, cause);
    }

    /** A 404 without a code of S3 is of something before the store, or of a store that is starting. */
    private static boolean isPassing(AwsServiceException e) {
        return e.statusCode() != NOT_IMPLEMENTED
                && (e.statusCode() >= SERVER_ERROR
                        || e.statusCode() == CONFLICT
                        || (e.statusCode() == NOT_FOUND && errorCode(e) == null)
                        || e.isThrottlingException()
                        || PASSING.contains(String.valueOf(errorCode(e))));
    }

    private static String code(AwsServiceException e) {
        @Nullable String code = errorCode(e);
        return code == null ? "status " + e.statusCode() : "%s (status %d)".formatted(code, e.statusCode());
    }

    private static @Nullable String errorCode(AwsServiceException e) {
        return e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorCode();
    }

    private static String advice(AwsServiceException e) {
        return switch (String.valueOf(errorCode(e))) {
            case "NoSuchBucket" -> "; create the bucket, or correct its name";
            case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch" ->
                "; the credentials need s3:PutObject, s3:GetObject and s3:DeleteObject on the objects, and s3:ListBucket on the bucket";
            case "PermanentRedirect", "AuthorizationHeaderMalformed" -> "; set region to the bucket's";
            case "NotImplemented" -> "; the store lacks conditional writes, which the log needs: use another one";
            default -> "";
        };
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return "s3://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix.substring(0, prefix.length() - 1));
    }
}

package dev.spream.sink.gcs;

import static java.util.Objects.requireNonNull;

import com.google.cloud.BaseServiceException;
import com.google.cloud.WriteChannel;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageException;
import dev.spream.sink.files.ObjectStore;
import dev.spream.sink.files.ObjectStoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.StreamSupport;

/**
 * The objects of a bucket of Google Cloud Storage whose names begin with a prefix. An object is stored once by the
 * precondition {@code ifGenerationMatch=0}.
 */
public final class GcsStore implements ObjectStore {
    private static final int PRECONDITION_FAILED = 412;
    private static final int NOT_FOUND = 404;
    private static final int FORBIDDEN = 403;
    private static final int UNAUTHORIZED = 401;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int SERVER_ERROR = 500;

    private final Storage client;
    private final String bucket;
    private final String prefix;

    private GcsStore(Storage client, String bucket, String prefix) {
        this.client = requireNonNull(client, "client");
        this.bucket = requireNonNull(bucket, "bucket");
        this.prefix = prefix;
    }

    /**
     * Opens a store on a client, which it closes.
     *
     * @param prefix the beginning of all names, without a slash at its end; empty for none
     */
    public static GcsStore of(Storage client, String bucket, String prefix) {
        return new GcsStore(client, bucket, prefix.isEmpty() ? "" : prefix + "/");
    }

    @Override
    public void put(String name, byte[] content) {
        calling("stored", name, () -> client.create(object(name), content));
    }

    @Override
    public boolean putIfAbsent(String name, byte[] content) {
        return calling("stored", name, () -> {
            try {
                write(client.writer(object(name), Storage.BlobWriteOption.doesNotExist()), content);
                return true;
            } catch (StorageException e) {
                if (isRefused(e)) {
                    return false;
                }
                throw e;
            }
        });
    }

    /** Google's imitation in memory has another failure than the service. */
    private static boolean isRefused(StorageException e) {
        return e.getCode() == PRECONDITION_FAILED || e.getCause() instanceof FileAlreadyExistsException;
    }

    private static void write(WriteChannel channel, byte[] content) throws IOException {
        try (channel) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        }
    }

    private BlobInfo object(String name) {
        return BlobInfo.newBuilder(bucket, prefix + name).build();
    }

    @Override
    public Optional<byte[]> get(String name) {
        return calling("read", name, () -> {
            try {
                return Optional.of(client.readAllBytes(BlobId.of(bucket, prefix + name)));
            } catch (StorageException e) {
                if (e.getCode() == NOT_FOUND) { // the list at the start has shown that the bucket exists
                    return Optional.empty();
                }
                throw e;
            }
        });
    }

    @Override
    public List<String> list(String names) {
        return list(names, Storage.BlobListOption.prefix(prefix + names));
    }

    @Override
    public boolean seeks() {
        return true;
    }

    @Override
    public List<String> listAfter(String names, String name) {
        return list(
                        names,
                        Storage.BlobListOption.prefix(prefix + names),
                        Storage.BlobListOption.startOffset(prefix + name)) // inclusive
                .stream()
                .filter(listed -> listed.compareTo(name) > 0)
                .toList();
    }

    private List<String> list(String names, Storage.BlobListOption... options) {
        return calling(
                "listed",
                names,
                () -> StreamSupport.stream(
                                client.list(bucket, options).iterateAll().spliterator(), false)
                        .map(Blob::getName)
                        .map(name -> name.substring(prefix.length()))
                        .sorted()
                        .toList());
    }

    @Override
    public void delete(String name) {
        calling("deleted", name, () -> client.delete(BlobId.of(bucket, prefix + name)));
    }

    private <T> T calling(String done, String name, Callable<T> call) {
        try {
            return call.call();
        } catch (BaseServiceException e) {
            throw failed(done, name, advice(e), isPassing(e), e);
        } catch (IOException e) {
            throw e.getCause() instanceof BaseServiceException cause
                    ? failed(done, name, advice(cause), isPassing(cause), cause)
                    : failed(done, name, String.valueOf(e.getMessage()), true, e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private ObjectStoreException failed(String done, String name, String why, boolean retryable, Exception cause) {
        return new ObjectStoreException("%s/%s could not be %s: %s".formatted(this, name, done, why), retryable, cause);
    }

    private static boolean isPassing(BaseServiceException e) {
        return e.isRetryable()
                || e.getCode() >= SERVER_ERROR
                || e.getCode() == TOO_MANY_REQUESTS
                || e.getCode() == REQUEST_TIMEOUT
                || e.getCode() == 0; // no answer
    }

    private static String advice(BaseServiceException e) {
        return switch (e.getCode()) {
            case NOT_FOUND -> "%s; create the bucket, or correct its name".formatted(e.getMessage());
            case FORBIDDEN, UNAUTHORIZED ->
                "%s; the credentials need storage.objects.create, get, list and delete on the bucket"
                        .formatted(e.getMessage());
            default -> String.valueOf(e.getMessage());
        };
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Exception e) {
            throw new IllegalStateException("the client of %s could not be closed".formatted(this), e);
        }
    }

    @Override
    public String toString() {
        return "gs://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix.substring(0, prefix.length() - 1));
    }
}

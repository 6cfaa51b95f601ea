package dev.spream.benchmarks.delivery;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
import dev.spream.sink.s3.S3Store;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A subscription that writes files with the log of commits, compared with a bare program that writes the same lines to the
 * same store, compressed, in files of the same size, and keeps no log. In a folder, and in a bucket of S3Proxy, which is in
 * the same process and costs both of them the same.
 */
public final class FilesRate {
    private static final int ROWS = Integer.getInteger("rows", 400_000);
    private static final int PARTITIONS = Integer.getInteger("partitions", 4);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int SIZE = 16 << 20;
    private static final int KEYS = 10_000;
    private static final String BUCKET = "changes";
    private static final String KEY = "benchmark-key";

    private FilesRate() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        Path folder = Files.createTempDirectory("spream-files");
        OrdersSource source = new OrdersSource(ROWS, PARTITIONS, KEYS);
        compare(
                "a folder",
                source,
                Map.of("sink", "files"),
                prefix -> LocalStore.open(Files.createDirectories(folder.resolve(prefix))),
                prefix -> Map.of(
                        "sink.files.folder",
                        Files.createDirectories(folder.resolve(prefix)).toString()));
        S3Proxy proxy = proxy(Files.createTempDirectory("spream-s3"));
        URI endpoint = URI.create("http://127.0.0.1:" + proxy.getPort());
        compare(
                "a bucket of S3Proxy",
                source,
                Map.of("sink", "s3"),
                prefix -> S3Store.of(client(endpoint), BUCKET, prefix),
                prefix -> Map.of(
                        "sink.s3.bucket", BUCKET,
                        "sink.s3.prefix", prefix,
                        "sink.s3.endpoint", endpoint.toString(),
                        "sink.s3.region", "eu-west-1",
                        "sink.s3.access-key-id", KEY,
                        "sink.s3.secret-access-key", KEY));
        proxy.stop();
    }

    private interface Opening<T> {
        T open(String prefix) throws IOException;
    }

    private static void compare(
            String place,
            OrdersSource source,
            Map<String, String> sink,
            Opening<ObjectStore> stores,
            Opening<Map<String, String>> settings)
            throws Exception {
        new Comparison("files in %s, partitions: %d".formatted(place, PARTITIONS), ROWS)
                .add("bare files of compressed lines", () -> {
                    try (ObjectStore store = stores.open(prefix())) {
                        return Parallel.sum(
                                Executors.newVirtualThreadPerTaskExecutor(),
                                PARTITIONS,
                                i -> () -> write(source.changes(i), store, i));
                    }
                })
                .add("spream's sink with its log", () -> {
                    String prefix = prefix();
                    run(source, sink, settings.open(prefix));
                    try (ObjectStore store = stores.open(prefix)) {
                        return FilesReader.of(store).files().stream()
                                .mapToLong(CommittedFile::changes)
                                .sum();
                    }
                })
                .run(WARM_UPS, TURNS);
    }

    private static String prefix() {
        return "run-" + UUID.randomUUID();
    }

    private static long write(Iterator<DataChangeRecord> changes, ObjectStore store, int partition) throws IOException {
        long written = 0;
        for (int file = 0; changes.hasNext(); file++) {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            try (OutputStream zipped = new GZIPOutputStream(content, 1 << 16)) {
                for (long size = 0; changes.hasNext() && size < SIZE; written++) {
                    byte[] line = (changes.next().toJson() + "\n").getBytes(StandardCharsets.UTF_8);
                    zipped.write(line);
                    size += line.length;
                }
            }
            store.put("data/%d-%d.jsonl.gz".formatted(partition, file), content.toByteArray());
        }
        return written;
    }

    private static void run(OrdersSource source, Map<String, String> sink, Map<String, String> settings) {
        Map<String, String> config = new HashMap<>(sink);
        config.putAll(settings);
        config.put("sink." + sink.get("sink") + ".max-size", "16MiB");
        config.put("start", OrdersSource.START.toString());
        config.put("end", OrdersSource.END.toString());
        config.put("max-inflight", "1000");
        try (Spream spream = Spream.builder(SpreamConfig.of(config))
                .source(source)
                .storage(new InMemoryPartitionStorage())
                .build()) {
            CompletionReason result = spream.run();
            if (result != CompletionReason.COMPLETED) {
                throw new IllegalStateException("the subscription ended as " + result);
            }
        }
    }

    private static S3Proxy proxy(Path folder) throws Exception {
        Files.createDirectories(folder.resolve(BUCKET));
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "jclouds.filesystem.basedir", folder.toString(), "jclouds.identity", "", "jclouds.credential", ""));
        S3Proxy proxy = S3Proxy.builder()
                .blobStore(BlobStores.create("filesystem", properties))
                .awsAuthentication(AuthenticationType.AWS_V4, KEY, KEY)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .stopTimeout(0)
                .build();
        proxy.start();
        return proxy;
    }

    private static S3Client client(URI endpoint) {
        return S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .endpointOverride(endpoint)
                .forcePathStyle(true)
                .region(Region.EU_WEST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, KEY)))
                .build();
    }
}

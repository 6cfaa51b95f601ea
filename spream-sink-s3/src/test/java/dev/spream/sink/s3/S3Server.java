package dev.spream.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;

/** S3Proxy over a folder, whose folders are the buckets. */
final class S3Server implements AutoCloseable {
    static final String BUCKET = "changes";
    static final String KEY_ID = "key-of-the-test";
    static final String SECRET = "secret-of-the-test-0123456789";

    private final Path folder;
    private S3Proxy proxy;

    private S3Server(Path folder, S3Proxy proxy) {
        this.folder = folder;
        this.proxy = proxy;
    }

    static S3Server start(Path folder) throws Exception {
        return new S3Server(folder, launch(folder, 0));
    }

    private static S3Proxy launch(Path folder, int port) throws Exception {
        Files.createDirectories(folder.resolve(BUCKET));
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "jclouds.filesystem.basedir", folder.toString(), "jclouds.identity", "", "jclouds.credential", ""));
        S3Proxy proxy = S3Proxy.builder()
                .blobStore(BlobStores.create("filesystem", properties))
                .awsAuthentication(AuthenticationType.AWS_V4, KEY_ID, SECRET)
                .endpoint(URI.create("http://127.0.0.1:" + port))
                .stopTimeout(0)
                .build();
        proxy.start();
        return proxy;
    }

    /** Breaks off what it answers, and starts again seconds later on the same port and folder. No other server may run. */
    void restart() throws Exception {
        int port = proxy.getPort();
        proxy.stop();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("S3Proxy-Jetty")) {
                thread.join(60_000); // it may still store an object, whatever the next server answers
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
        TimeUnit.SECONDS.sleep(3); // longer than a client repeats a request by itself
        proxy = launch(folder, port);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + proxy.getPort());
    }

    static S3Client client(URI endpoint) {
        return client(endpoint, 1_000);
    }

    /** Returns a client whose lists have so many names a page, at most. */
    static S3Client client(URI endpoint, int page) {
        return S3Client.builder()
                .overrideConfiguration(settings -> settings.addExecutionInterceptor(new ExecutionInterceptor() {
                    @Override
                    public SdkRequest modifyRequest(Context.ModifyRequest context, ExecutionAttributes attributes) {
                        return context.request() instanceof ListObjectsV2Request list
                                ? list.toBuilder().maxKeys(page).build()
                                : context.request();
                    }
                }))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .endpointOverride(endpoint)
                .forcePathStyle(true)
                .region(Region.EU_WEST_1)
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY_ID, SECRET)))
                .build();
    }

    @Override
    public void close() throws Exception {
        proxy.stop();
    }
}

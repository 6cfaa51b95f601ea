package dev.spream.sink.s3;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.sink.files.FilesKeys;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * The sink {@code s3}: immutable files of changes in Amazon S3, or in an object store with its API, and a log that makes
 * each change count once. Credentials are those of the AWS client's default chain, which includes variables, profiles, the
 * roles of pods and machines, unless keys are configured.
 */
@AutoService(ConsumerProvider.class)
public final class S3SinkProvider implements ConsumerProvider {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern BUCKET_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{2,254}|arn:[!-~]+");
    private static final Pattern REGION_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?");
    private static final ConfigKey<String> BUCKET = ConfigKey.of(
                    "bucket",
                    named("bucket", BUCKET_NAME, "expected the name of a bucket, without s3:// and folders, or an ARN"),
                    "Bucket, which exists.")
            .required();
    private static final ConfigKey<String> PREFIX = ConfigKey.of(
                    "prefix",
                    FilesKeys.PREFIX,
                    "Beginning of the keys of all objects, without a slash at its end; one for each subscription.")
            .withDefaultMeaning("none");
    private static final ConfigKey<String> REGION = ConfigKey.of(
                    "region",
                    named("region", REGION_NAME, "expected a region, such as eu-west-1"),
                    "Region of the bucket.")
            .withDefaultMeaning("that of the AWS client's default chain");
    private static final ConfigKey<URI> ENDPOINT = ConfigKey.of(
                    "endpoint",
                    ConfigType.url("http", "https"),
                    "Address of an object store with the API of S3, used with the bucket in the path.")
            .withDefaultMeaning("that of Amazon S3 in the region");
    private static final ConfigKey<String> ACCESS_KEY_ID = ConfigKey.of(
                    "access-key-id", ConfigType.text(), "Id of an access key; with secret-access-key.")
            .withDefaultMeaning("the AWS client's default chain");
    private static final ConfigKey<String> SECRET_ACCESS_KEY = ConfigKey.of(
                    "secret-access-key", ConfigType.text(), "Secret of the access key.")
            .secret();

    private static ConfigType<String> named(String label, Pattern pattern, String expected) {
        return new ConfigType<>(
                label,
                text -> {
                    if (!pattern.matcher(text).matches()) {
                        throw new IllegalArgumentException(expected);
                    }
                    return text;
                },
                text -> text);
    }

    @Override
    public String name() {
        return "s3";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return FilesKeys.with(BUCKET, PREFIX, REGION, ENDPOINT, ACCESS_KEY_ID, SECRET_ACCESS_KEY);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        List<String> problems = new ArrayList<>(FilesKeys.problems(config));
        if (config.find(ACCESS_KEY_ID).isPresent()
                != config.find(SECRET_ACCESS_KEY).isPresent()) {
            problems.add("access-key-id: configure secret-access-key as well, or neither of them");
        }
        return problems;
    }

    @Override
    public boolean needsPartitionOrder() {
        return true;
    }

    @Override
    public Optional<Duration> watermarkInterval() {
        return Optional.of(FilesKeys.WATERMARK_INTERVAL);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) throws InterruptedException {
        return FilesKeys.open(
                S3Store.of(
                        client(config), config.get(BUCKET), config.find(PREFIX).orElse("")),
                config,
                context);
    }

    /** Checksums are left out where S3 does not require them: other stores refuse them, and signatures cover the content. */
    private static S3Client client(PluginConfig config) {
        S3ClientBuilder client = S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT_TIMEOUT)
                        .socketTimeout(SOCKET_TIMEOUT))
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
        config.find(REGION).map(Region::of).ifPresent(client::region);
        config.find(ENDPOINT)
                .ifPresent(endpoint -> client.endpointOverride(endpoint).forcePathStyle(true));
        config.find(ACCESS_KEY_ID)
                .ifPresent(id -> client.credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(id, config.get(SECRET_ACCESS_KEY)))));
        try {
            return checked(client.build());
        } catch (SdkClientException e) {
            throw new IllegalArgumentException("the client of S3 could not be made; set region: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a client that has credentials and a well-formed region, both of which may be those of the default chain.
     *
     * @throws IllegalArgumentException if it has not; the client is closed
     */
    static S3Client checked(S3Client client) {
        try {
            String region = client.serviceClientConfiguration().region().id();
            if (!REGION_NAME.matcher(region).matches()) {
                throw new IllegalArgumentException(
                        "the region of the AWS client's default chain is '%s': set region".formatted(region));
            }
            client.serviceClientConfiguration()
                    .credentialsProvider()
                    .resolveIdentity()
                    .join();
            return client;
        } catch (CompletionException | SdkClientException e) {
            client.close();
            throw new IllegalArgumentException(
                    "no credentials of S3 were found; set access-key-id and secret-access-key, or those of the AWS client's default chain: "
                            + e.getMessage(),
                    e);
        } catch (IllegalArgumentException e) {
            client.close();
            throw e;
        }
    }
}

package dev.spream.sink.s3;

import dev.spream.servers.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** S3Proxy over a folder, whose folders are the buckets. */
final class S3Server implements AutoCloseable {
    static final String BUCKET = "changes";
    static final String KEY_ID = "key-of-the-test";
    static final String SECRET = "secret-of-the-test-0123456789";

    private final S3Proxy proxy;

    private S3Server(S3Proxy proxy) {
        this.proxy = proxy;
    }

    /** @param port 0 for a free one */
    static S3Server start(Path folder, int port) throws Exception {
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
        return new S3Server(proxy);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + proxy.getPort());
    }

    static S3Client client(URI endpoint) {
        return S3Client.builder()
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

    /** A server in a process of its own, which ends when it is killed. */
    static final class InProcess implements AutoCloseable {
        private final Path folder;
        private Process process;
        private int port;

        private InProcess(Path folder) throws IOException {
            this.folder = folder;
            this.process = launch();
        }

        static InProcess start(Path folder) throws IOException {
            return new InProcess(folder);
        }

        private Process launch() throws IOException {
            List<String> command = new ArrayList<>(JavaCommand.of(
                    S3Server.class,
                    "-Xmx256m",
                    "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", "")));
            command.addAll(List.of(folder.toString(), Integer.toString(port)));
            Process launched =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            BufferedReader said = launched.inputReader();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.startsWith("port ")) {
                    port = Integer.parseInt(line.substring("port ".length()));
                    Thread.ofVirtual().start(() -> said.lines().forEach(logged -> {})); // else it waits for a reader
                    return launched;
                }
            }
            throw new IOException("S3Proxy did not start");
        }

        URI endpoint() {
            return URI.create("http://127.0.0.1:" + port);
        }

        /** {@code kill -9}, and another one on the same port and folder. */
        void killAndRestart() throws Exception {
            process.destroyForcibly().waitFor();
            process = launch();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws Exception {
        S3Server server = start(Path.of(args[0]), Integer.parseInt(args[1]));
        System.out.println("port " + server.proxy.getPort());
        Thread.currentThread().join();
    }
}

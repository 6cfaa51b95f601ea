package dev.spream.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.spream.objectstore.ObjectStoreContract;
import dev.spream.sink.files.ObjectStore;
import dev.spream.sink.files.ObjectStoreException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of objects in S3, and the failures. */
final class S3StoreTest extends ObjectStoreContract {
    @TempDir
    private static Path folder;

    private static final int PAGE = 5;

    private static S3Server server;
    private static int tests;
    private final int test = ++tests;

    @BeforeAll
    static void start() throws Exception {
        server = S3Server.start(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    protected ObjectStore open() {
        return open(S3Server.BUCKET);
    }

    @Override
    protected int many() {
        return 2 * PAGE + 1;
    }

    /** Its lists come in pages. */
    private S3Store open(String bucket) {
        return S3Store.of(S3Server.client(server.endpoint(), PAGE), bucket, "test=" + test + "/orders");
    }

    @Test
    void names_are_listed_from_a_name_on() {
        try (ObjectStore store = open()) {
            for (int i = 1; i <= 4; i++) {
                store.put("log/" + i, new byte[] {1});
            }
            store.put("logs/1", new byte[] {1});
            assertThat(store.listAfter("log/", "log/2")).containsExactly("log/3", "log/4");
            assertThat(store.listAfter("log/", "log/4")).isEmpty();
        }
    }

    @Test
    void a_bucket_that_does_not_exist_is_named() {
        try (S3Store store = open("nowhere")) {
            assertThatThrownBy(() -> store.put("data/a", new byte[] {1}))
                    .isInstanceOfSatisfying(
                            ObjectStoreException.class,
                            e -> assertThat(e.retryable()).isFalse())
                    .hasMessageContaining("s3://nowhere/test=")
                    .hasMessageContaining("NoSuchBucket (status 404); create the bucket");
            assertThatThrownBy(() -> store.get("data/a")).hasMessageContaining("create the bucket");
        }
    }

    @Test
    void an_answer_of_something_before_the_store_is_not_an_object_that_is_missing() throws Exception {
        HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/", exchange -> {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        proxy.start();
        URI endpoint = URI.create("http://127.0.0.1:" + proxy.getAddress().getPort());
        try (S3Store store = S3Store.of(S3Server.client(endpoint), S3Server.BUCKET, "")) {
            assertThatThrownBy(() -> store.get("log/1"))
                    .isInstanceOfSatisfying(
                            ObjectStoreException.class,
                            e -> assertThat(e.retryable()).isTrue())
                    .hasMessageContaining("log/1 could not be read: status 404");
        } finally {
            proxy.stop(0);
        }
    }

    @Test
    void a_server_that_does_not_answer_may_answer_later() throws Exception {
        URI gone;
        try (S3Server other = S3Server.start(folder)) {
            gone = other.endpoint();
        }
        try (S3Store store = S3Store.of(S3Server.client(gone), S3Server.BUCKET, "")) {
            assertThatThrownBy(() -> store.putIfAbsent("log/1", new byte[] {1}))
                    .isInstanceOfSatisfying(
                            ObjectStoreException.class,
                            e -> assertThat(e.retryable()).isTrue())
                    .hasMessageContaining("s3://changes/log/1 could not be stored");
        }
    }
}

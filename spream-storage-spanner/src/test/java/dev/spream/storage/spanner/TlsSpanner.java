package dev.spream.storage.spanner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.MockSpannerServiceImpl;
import com.google.cloud.spanner.MockSpannerServiceImpl.StatementResult;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The mock server of google-cloud-spanner behind TLS, which this JVM trusts as long as it is open: with
 * credentials a client calls no server without TLS.
 */
final class TlsSpanner implements AutoCloseable {
    static final String ACCOUNT = "reader@p.iam.gserviceaccount.com";
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final String TRUST_STORE = "javax.net.ssl.trustStore";
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    final MockSpannerServiceImpl service = new MockSpannerServiceImpl();
    /** The accounts whose tokens arrived, one for each request. */
    final List<String> accounts = new CopyOnWriteArrayList<>();

    final Set<SocketAddress> peers = ConcurrentHashMap.newKeySet();
    private final Server server;
    private final @Nullable String trustedBefore = System.getProperty(TRUST_STORE);

    /** @param store what {@link #makeKey} has made */
    TlsSpanner(Path store) throws Exception {
        service.setAbortProbability(0);
        service.putStatementResult(StatementResult.detectDialectResult(Dialect.GOOGLE_STANDARD_SQL));
        server = Grpc.newServerBuilderForPort(
                        0,
                        TlsServerCredentials.newBuilder()
                                .keyManager(keys(store))
                                .build())
                .addService(service)
                .intercept(new Watch())
                .build()
                .start();
        System.setProperty(TRUST_STORE, store.toString());
        System.setProperty(TRUST_STORE + "Password", new String(PASSWORD));
    }

    /** The issuer of a token, or the header where it has none. */
    private static String account(String authorization) {
        String[] parts = authorization.split("\\.");
        if (!authorization.startsWith("Bearer ") || parts.length != 3) {
            return authorization;
        }
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8);
        Matcher issuer = Pattern.compile("\"iss\":\"([^\"]+)\"").matcher(claims);
        return issuer.find() ? issuer.group(1) : claims;
    }

    /** Makes the key of a service account, which signs its tokens itself. */
    static String serviceAccount() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        String key = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(generator.generateKeyPair().getPrivate().getEncoded());
        return ("{\"type\":\"service_account\",\"project_id\":\"p\",\"private_key_id\":\"k\","
                        + "\"client_email\":\"%s\",\"client_id\":\"1\","
                        + "\"private_key\":\"-----BEGIN PRIVATE KEY-----\\n%s\\n-----END PRIVATE KEY-----\\n\"}")
                .formatted(ACCOUNT, key.replace("\n", "\\n"));
    }

    String endpoint() {
        return "localhost:" + server.getPort();
    }

    /** Makes the key of a server, and the certificate that its clients trust, by a process of its own. */
    static Path makeKey(Path store) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "localhost",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException(said);
        }
        trustItself(store);
        return store;
    }

    /** Adds the certificate as a trusted one. */
    private static void trustItself(Path store) throws IOException {
        try {
            KeyStore keys = load(store);
            keys.setCertificateEntry("trusted", keys.getCertificate("localhost"));
            try (var out = Files.newOutputStream(store)) {
                keys.store(out, PASSWORD);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static KeyStore load(Path store) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private static KeyManager[] keys(Path store) throws IOException, GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(load(store), PASSWORD);
        return factory.getKeyManagers();
    }

    @Override
    public void close() {
        if (trustedBefore == null) {
            System.clearProperty(TRUST_STORE);
        } else {
            System.setProperty(TRUST_STORE, trustedBefore);
        }
        System.clearProperty(TRUST_STORE + "Password");
        server.shutdownNow();
    }

    private final class Watch implements ServerInterceptor {
        @Override
        public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
                ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
            accounts.add(account(String.valueOf(headers.get(AUTHORIZATION))));
            peers.add(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
            return next.startCall(call, headers);
        }
    }
}

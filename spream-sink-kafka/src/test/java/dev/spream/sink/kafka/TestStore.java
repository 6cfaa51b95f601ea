package dev.spream.sink.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The key of a broker, with a certificate for 127.0.0.1 that it has signed itself.
 *
 * @param file the store, in PKCS12
 * @param certificate what a client has to trust, in PEM
 */
record TestStore(Path file, Path certificate) {
    private static final String PASSWORD = "store-pw-4711";

    static TestStore create(Path folder) throws IOException {
        TestStore store = new TestStore(folder.resolve("broker.p12"), folder.resolve("ca.pem"));
        keytool(
                store,
                List.of(
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=broker",
                        "-validity",
                        "2",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12"));
        keytool(store, List.of("-exportcert", "-rfc", "-file", store.certificate.toString()));
        return store;
    }

    /** Returns the settings of the broker. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        for (String kind : List.of("keystore", "truststore")) {
            settings.put("ssl." + kind + ".location", file.toString());
            settings.put("ssl." + kind + ".password", PASSWORD);
            settings.put("ssl." + kind + ".type", "PKCS12");
        }
        return settings;
    }

    private static void keytool(TestStore store, List<String> what) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC"));
        command.addAll(what);
        command.addAll(List.of("-alias", "broker", "-keystore", store.file.toString(), "-storepass", PASSWORD));
        Path log = store.file.resolveSibling("keytool.log");
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (keytool.onExit().join().exitValue() != 0) {
            throw new IOException(Files.readString(log));
        }
    }
}

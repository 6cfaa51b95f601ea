package dev.spream.format.protobuf;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.v1.ChangeStreamRecord;
import com.sun.net.httpserver.HttpServer;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.FormatProvider;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.TypeCode;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The folder that the build leaves for {@code plugins/}, in a host that has nothing of this module. */
@Timeout(120)
final class PluginFolderIT {
    private static final Path PLUGINS = Path.of(requireNonNull(System.getProperty("plugins.folder")));

    @Test
    void the_folder_has_protobuf_and_nothing_that_it_shares() throws IOException {
        try (Stream<Path> jars = Files.list(PLUGINS.resolve("protobuf"))) {
            assertThat(jars.map(jar -> String.valueOf(jar.getFileName()).replaceAll("-\\d.*", "")))
                    .containsExactlyInAnyOrder("spream-format-protobuf", "spream-format-schema", "protobuf-java");
        }
    }

    @Test
    void dropped_into_the_folder_it_writes_the_messages_of_a_sink_elsewhere() throws Exception {
        Queue<byte[]> bodies = new ConcurrentLinkedQueue<>();
        HttpServer receiver = receiver(bodies);
        try (PluginRegistry plugins = PluginRegistry.discover(new Host(), Optional.of(PLUGINS))) {
            assertThat(plugins.problems()).isEmpty();
            assertThat(plugins.find(FormatProvider.PORT, "protobuf")
                            .orElseThrow()
                            .origin())
                    .isEqualTo(PLUGINS.resolve("protobuf").toString());
            try (Spream spream = Spream.builder(SpreamConfig.of(Map.of(
                            "sink",
                            "webhook",
                            "sink.webhook.url",
                            "http://localhost:" + receiver.getAddress().getPort(),
                            "sink.webhook.format",
                            "protobuf",
                            "start",
                            ScriptedSource.START.toString(),
                            "end",
                            ScriptedSource.at(60).toString())))
                    .source(ScriptedSource.of(ScriptedSource.START, List.of(change(1, "a"), change(2, "b"))))
                    .storage(new InMemoryPartitionStorage())
                    .plugins(plugins)
                    .build()) {
                assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            }
        } finally {
            receiver.stop(0);
        }
        assertThat(bodies).hasSize(2);
        for (byte[] body : bodies) {
            assertThat(ChangeStreamRecord.DataChangeRecord.parseFrom(body).getServerTransactionId())
                    .startsWith("tx");
        }
    }

    private static DataChangeRecord change(int second, String key) {
        DataChangeRecord change = ScriptedSource.newChange(second, key, "tx" + second);
        return change.with(List.of(Changes.column("Id", TypeCode.STRING, true, 1)), change.mods());
    }

    private static HttpServer receiver(Queue<byte[]> bodies) throws IOException {
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", call -> {
            try (call) {
                bodies.add(call.getRequestBody().readAllBytes());
                call.sendResponseHeaders(204, -1);
            }
        });
        receiver.start();
        return receiver;
    }

    /** A class path without this module: it has no services of it, and none of its classes is asked for by name. */
    private static final class Host extends ClassLoader {
        Host() {
            super("host", FormatProvider.class.getClassLoader());
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            URL own = ProtobufFormatProvider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation();
            return Collections.enumeration(Collections.list(super.getResources(name)).stream()
                    .filter(url -> !url.toString().contains(own.toString()))
                    .toList());
        }
    }
}

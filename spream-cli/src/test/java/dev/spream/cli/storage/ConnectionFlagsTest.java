package dev.spream.cli.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.cli.command.Converters;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tests that flags reach source and storage as their keys. */
final class ConnectionFlagsTest {
    private static final Map<String, String> CONNECTION = Map.of(
            "endpoint", "spanner.europe-west1.rep.googleapis.com:443",
            "credentials-file", "key.json",
            "channels", "4",
            "keep-alive-time", "90s");

    @Command
    static final class Flags implements Runnable {
        @Mixin
        private final StreamArguments stream = new StreamArguments();

        @Mixin
        private final ReadingArguments reading = new ReadingArguments();

        @Mixin
        private final StorageArguments storage = new StorageArguments();

        @Override
        public void run() {}
    }

    @Test
    void every_flag_of_a_connection_is_a_key_of_source_and_storage() {
        Flags flags = parsed();
        Map<String, String> source = flags.reading.keys(flags.stream);

        assertThat(source)
                .containsAllEntriesOf(CONNECTION)
                .containsEntry("max-open-queries", "300")
                .containsEntry("directed-reads", "include:us-east1/read-only")
                .containsEntry("read-function", "READ_Orders_europe");
        assertThat(flags.storage.ofReader(flags.stream))
                .isInstanceOfSatisfying(
                        StorageChoice.Spanner.class,
                        spanner -> assertThat(spanner.settings())
                                .containsAllEntriesOf(CONNECTION)
                                .doesNotContainKey("directed-reads"));
    }

    @Test
    void the_plug_ins_know_these_keys() {
        Flags flags = parsed();
        assertThat(ServiceLoader.load(ChangeStreamSourceProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(provider -> provider.name().equals("spanner"))
                        .flatMap(provider -> provider.keys().stream())
                        .map(key -> key.name()))
                .containsAll(flags.reading.keys(flags.stream).keySet());
        assertThat(ServiceLoader.load(PartitionStorageProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(provider -> provider.name().equals("spanner"))
                        .flatMap(provider -> provider.keys().stream())
                        .map(key -> key.name()))
                .containsAll(CONNECTION.keySet());
    }

    private static Flags parsed() {
        Flags flags = new Flags();
        Converters.register(new CommandLine(flags))
                .parseArgs(Stream.of(
                                "-d projects/p/instances/i/databases/d -s Orders -t Metadata",
                                "--endpoint spanner.europe-west1.rep.googleapis.com:443 --credentials-file key.json",
                                "--channels 4 --keep-alive-time 1m30s",
                                "--directed-reads include:us-east1/read-only --read-function READ_Orders_europe")
                        .flatMap(line -> Stream.of(line.split(" ")))
                        .toArray(String[]::new));
        return flags;
    }
}

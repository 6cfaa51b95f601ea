package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example reads the changes that count, and continues where it was. */
final class FilesExampleTest {
    @TempDir
    private Path folder;

    @Test
    void changes_are_read_once_and_later_ones_the_next_time() throws IOException {
        write(3, Map.of());
        List<Long> seconds = new ArrayList<>();
        long last = read(0, seconds);
        assertThat(seconds).containsExactly(1L, 2L, 3L);
        write(5, Map.of("sink.files.take-over", storedAt())); // the storage is lost, and the first three come again
        read(last, seconds);
        assertThat(seconds).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    private long read(long last, List<Long> seconds) {
        return FilesExample.read(
                folder,
                last,
                content -> FilesExample.unzipped(content)
                        .lines()
                        .map(ChangeRecordJson::readDataChange)
                        .map(change ->
                                change.commitTimestamp().getEpochSecond() - ScriptedSource.START.getEpochSecond())
                        .forEach(seconds::add));
    }

    /** Returns the time by which the log knows its subscription. */
    private String storedAt() throws IOException {
        try (Stream<Path> entries = Files.list(folder.resolve("log"))) {
            String entry = Files.readString(entries.findFirst().orElseThrow());
            Matcher time = Pattern.compile("\"subscriptionCreatedAt\":\\s*\"([^\"]+)\"")
                    .matcher(entry);
            assertThat(time.find()).isTrue();
            return time.group(1);
        }
    }

    private void write(int changes, Map<String, String> more) {
        ScriptedSource source = new ScriptedSource().roots("p");
        for (int second = 1; second <= changes; second++) {
            source.change("p", second, "a");
        }
        Map<String, String> config = new HashMap<>(more);
        config.put("sink", "files");
        config.put("sink.files.folder", folder.toString());
        config.put("start", ScriptedSource.START.toString());
        config.put("end", ScriptedSource.at(changes).toString());
        try (Spream spream = Spream.builder(SpreamConfig.of(config))
                .source(source)
                .storage(new InMemoryPartitionStorage())
                .build()) {
            spream.run();
        }
    }
}

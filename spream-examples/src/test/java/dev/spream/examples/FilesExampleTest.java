package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example reads the changes that count, and continues where it was. */
final class FilesExampleTest {
    @TempDir
    private Path folder;

    @Test
    void changes_are_read_once_and_later_ones_the_next_time() {
        write(3);
        List<Long> seconds = new ArrayList<>();
        long last = read(0, seconds);
        assertThat(seconds).containsExactly(1L, 2L, 3L);
        write(5); // the first three come again
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

    private void write(int changes) {
        ScriptedSource source = new ScriptedSource().roots("p");
        for (int second = 1; second <= changes; second++) {
            source.change("p", second, "a");
        }
        SpreamConfig config = SpreamConfig.of(Map.of(
                "sink", "files",
                "sink.files.folder", folder.toString(),
                "start", ScriptedSource.START.toString(),
                "end", ScriptedSource.at(changes).toString()));
        try (Spream spream = Spream.builder(config)
                .source(source)
                .storage(new InMemoryPartitionStorage())
                .build()) {
            spream.run();
        }
    }
}

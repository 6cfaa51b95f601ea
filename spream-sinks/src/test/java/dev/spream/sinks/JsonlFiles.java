package dev.spream.sinks;

import dev.spream.core.record.ChangeRecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The content of a folder that the {@code jsonl} sink writes to. */
final class JsonlFiles {
    private JsonlFiles() {}

    /** The files of changes, by name, which is the order in which they were written. */
    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jsonl"))
                    .sorted()
                    .toList();
        }
    }

    /** The seconds of the changes, in their order; fails on a line that is not a change, or not ended. */
    static List<Long> seconds(Path folder) throws IOException {
        List<Long> seconds = new ArrayList<>();
        for (String name : names(folder)) {
            String text = Files.readString(folder.resolve(name));
            if (!text.isEmpty() && !text.endsWith("\n")) {
                throw new IOException(name + " has a torn last line");
            }
            text.lines()
                    .map(line -> ChangeRecordJson.readDataChange(line).commitTimestamp())
                    .forEach(at -> seconds.add(at.getEpochSecond() - SinkChanges.START.getEpochSecond()));
        }
        return seconds;
    }
}

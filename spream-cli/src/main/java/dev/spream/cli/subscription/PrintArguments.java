package dev.spream.cli.subscription;

import dev.spream.cli.output.Terminal;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The flags that determine what {@code tail} prints of a record. */
final class PrintArguments {
    static final List<String> NAMES = List.of("--format", "--all-records", "--limit");

    /** The formats by their names on the command line. */
    enum Format {
        JSON,
        TEXT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "json: a line a change, in the documentation's shape; or text: a line a row, for people, with"
                    + " colours on a terminal unless NO_COLOR is set. Default: json.")
    private Format format = Format.JSON;

    @Option(
            names = "--all-records",
            description =
                    "Also print heartbeats and the records about partitions, as they are read. Each JSON line then"
                            + " names its kind and the partition's token.")
    private boolean allRecords;

    boolean allRecords() {
        return allRecords;
    }

    LineFormat format() {
        return switch (format) {
            case JSON -> new JsonFormat(allRecords);
            case TEXT -> new TextFormat(ZoneId.systemDefault(), Terminal.colored(), Terminal.columns());
        };
    }
}

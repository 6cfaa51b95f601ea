package dev.spream.cli.partition;

import dev.spream.cli.command.UsageFailure;
import dev.spream.core.DurationText;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.Lineage;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Adds a snapshot of tables to a stored subscription. */
@Command(
        name = "add-snapshot",
        description =
                "Adds the rows of tables as of now, such as those that the stream has watched only for a while. The"
                        + " workers, once started again, read every partition up to this time, deliver the rows as"
                        + " inserts, and read on after it: no change is lost, and the changes of a key keep their order.",
        footer = {
            "",
            "It needs --database. First let the stream watch the tables, by ALTER CHANGE STREAM. The database keeps rows"
                    + " for its version_retention_period, an hour unless it is set, in which the workers have to"
                    + " read them. If they were too late, the subscription stops, and --again replaces the snapshot by"
                    + " one as of now.",
            "",
            "Try: spream subscription add-snapshot --jdbc-url URL -d DATABASE --table Orders --dry-run"
        })
final class AddSnapshotCommand extends CorrectionCommand {
    private static final int MAX_CHUNK_ROWS = 10_000_000;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            required = true,
            split = ",",
            description = "A watched table, with its schema unless it is the default one; may be repeated, or a list.")
    private List<String> tables = new ArrayList<>();

    @Option(
            names = "--again",
            description = "Replace an added snapshot that is not settled. Name all tables whose rows are missing.")
    private boolean again;

    @Option(
            names = "--chunk-rows",
            paramLabel = "ROWS",
            description = "Rows of a chunk, which is read by one worker. Default: ${DEFAULT-VALUE}.")
    private int chunkRows = SpannerChangeStreamSource.DEFAULT_SNAPSHOT_CHUNK_ROWS;

    @Override
    Correction correction(StoredSubscription stored) {
        UsageFailure.requireBetween("--chunk-rows", chunkRows, 1, MAX_CHUNK_ROWS);
        return withSource(stored, builder -> {
            try (SpannerChangeStreamSource source =
                    builder.snapshotChunkRows(chunkRows).build()) {
                Instant at = source.snapshotTime();
                Correction correction = new Correction.AddSnapshot(at, source.addedSnapshot(at, tables), again);
                reportTime(at, source.versionRetention(), stored.lineage());
                return correction;
            }
        });
    }

    private void reportTime(Instant at, Duration kept, Lineage lineage) {
        report(
                "%s: the rows are kept until %s, for %s: until then, workers have to settle the changes before %s%s, and to read the rows",
                name(),
                at.plus(kept),
                DurationText.of(kept),
                at,
                lineage.lowWatermark()
                        .map(low -> ", of which %s are left".formatted(DurationText.of(Duration.between(low, at))))
                        .orElse(""));
    }
}

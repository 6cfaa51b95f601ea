package dev.spream.cli.partition;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.storage.spanner.BeamExport;
import dev.spream.storage.spanner.BeamTable;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Exports a subscription for another reader. */
@Command(
        name = "export",
        description = "Writes a metadata table from which Apache Beam continues where the subscribers stopped.",
        footer = {"", "Stop the subscribers first, and do not restart them once Beam runs."})
public final class ExportCommand extends Subcommand {
    /** The readers that can continue a subscription. */
    enum Reader {
        BEAM;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(names = "--for", paramLabel = "READER", required = true, description = "Target format: beam.")
    @SuppressWarnings("NullAway.Init")
    private Reader reader;

    @Option(
            names = "--to-table",
            paramLabel = "NAME",
            required = true,
            description = "The table to write, which must not exist.")
    @SuppressWarnings("NullAway.Init")
    private String table;

    @Option(
            names = "--to-database",
            paramLabel = "NAME",
            description = "The database for the table. Default: --metadata-database, or else --database.")
    private @Nullable DatabaseName toDatabase;

    @Override
    public Integer call() throws Exception {
        DatabaseName database = Optional.ofNullable(toDatabase)
                .or(arguments::metadataDatabase)
                .or(arguments.stream()::database)
                .orElseThrow(() ->
                        new UsageFailure("--to-database is missing, and so are --metadata-database and --database"));
        try (OpenStorage open = arguments.open();
                SpannerConnection target = arguments.stream().connect(database)) {
            print(
                    switch (reader) {
                        case BEAM -> beam(open, target);
                    });
            return ExitCode.OK;
        }
    }

    private String beam(OpenStorage open, SpannerConnection target) {
        BeamTable written;
        try {
            written = BeamExport.write(open.storage(), target, table);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(String.valueOf(e.getMessage()), e);
        }
        return "export: wrote %d partitions to table %s of %s; start the pipeline withMetadataTable(\"%s\"), withInclusiveStartAt(%s)%s"
                .formatted(
                        written.partitions(),
                        written.name(),
                        target.database(),
                        written.name(),
                        written.startAt(),
                        written.endAt()
                                .map(", withInclusiveEndAt(%s)"::formatted)
                                .orElse(", without an end"));
    }
}

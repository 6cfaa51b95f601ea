package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.sql.Token;
import dev.spream.emulator.internal.streamsql.StreamStatement;
import dev.spream.emulator.internal.streamsql.StreamStatementParser;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A statement {@code CREATE CHANGE STREAM} for a server that does not know the option {@code partition_mode}: without the
 * option, which is served here.
 *
 * @param ddl the statement for the other server
 * @param stream the name of the stream
 * @param mode the partition mode; empty if the statement does not set it
 */
public record PartitionModeDdl(String ddl, String stream, Optional<PartitionMode> mode) {
    private static final String PARTITION_MODE = "partition_mode";

    /**
     * Returns the statement without the option; empty if it does not mention the option.
     *
     * @throws io.grpc.StatusRuntimeException if the statement cannot be parsed, or would alter the mode
     */
    public static Optional<PartitionModeDdl> of(String ddl, Dialect dialect) {
        if (!ddl.toLowerCase(Locale.ROOT).contains(PARTITION_MODE) || !StreamStatementParser.handles(dialect, ddl)) {
            return Optional.empty();
        }
        return switch (StreamStatementParser.parse(dialect, ddl)) {
            case StreamStatement.Create create -> Optional.of(of(create, dialect));
            case StreamStatement.SetOptions options
            when options.options().containsKey(PARTITION_MODE) ->
                throw Errors.failedPrecondition(
                        "Change Stream " + options.stream() + ": partition_mode cannot be altered.");
            default -> Optional.empty();
        };
    }

    /** Returns what a statement creates, whether it mentions the option or not; empty if it creates no stream. */
    public static Optional<PartitionModeDdl> created(String ddl, Dialect dialect) {
        return StreamStatementParser.handles(dialect, ddl)
                        && StreamStatementParser.parse(dialect, ddl) instanceof StreamStatement.Create create
                ? Optional.of(of(create, dialect))
                : Optional.empty();
    }

    private static PartitionModeDdl of(StreamStatement.Create create, Dialect dialect) {
        StreamOptions all = StreamOptions.none().with(create.options());
        Map<String, Optional<Token>> others = new LinkedHashMap<>(create.options());
        others.remove(PARTITION_MODE);
        StreamOptions forwarded = StreamOptions.none().with(others);
        return new PartitionModeDdl(
                new StreamDefinition(create.stream(), create.watched(), forwarded).ddl(dialect),
                create.stream(),
                Optional.ofNullable(all.declared().get(PARTITION_MODE)).map(PartitionMode::valueOf));
    }

    /** Returns a statement of the other server's schema with the mode that is served here, if its stream has one. */
    public static String withMode(String ddl, Dialect dialect, Map<String, PartitionMode> modes) {
        if (!(StreamStatementParser.parse(dialect, ddl) instanceof StreamStatement.Create create)) {
            throw new IllegalArgumentException("not a CREATE CHANGE STREAM statement: " + ddl);
        }
        PartitionMode mode = modes.get(create.stream());
        if (mode == null) {
            return ddl;
        }
        Map<String, String> declared =
                new LinkedHashMap<>(StreamOptions.none().with(create.options()).declared());
        declared.put(PARTITION_MODE, mode.name());
        return new StreamDefinition(create.stream(), create.watched(), new StreamOptions(declared)).ddl(dialect);
    }
}

package dev.spream.cli;

import dev.spream.api.OutboxDesk;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.OutboxStoreProvider;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The flags of commands that work with the outbox that a configuration names. Short ones stand for keys of the configuration,
 * so that an outbox in a database needs no file.
 */
final class OutboxArguments {
    private static final String DEFAULT_STORE = "jdbc";
    private static final String MIGRATE = "outbox.jdbc.migrate";

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final ConfigArguments config = new ConfigArguments();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The database, for outbox.jdbc.url: jdbc:postgresql://<host>/<database>. The password comes"
                    + " from the file or SPREAM_CONFIG_OUTBOX_JDBC_PASSWORD, not from a flag, which others on the"
                    + " machine could see.")
    private @Nullable String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Who connects, for outbox.jdbc.user.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "NAME", description = "Where the tables are, for outbox.jdbc.schema.")
    private @Nullable String schema;

    @Option(names = "--table", paramLabel = "NAME", description = "The table of the entries, for outbox.jdbc.table.")
    private @Nullable String table;

    /**
     * Judges what is configured, for whoever looks at an outbox or changes entries by hand: neither its schema nor its tables
     * are created or migrated, unless the configuration says so. The caller closes it. Nothing is connected to yet.
     *
     * @param others the arguments that are none of the command's own
     */
    OutboxDesk open(List<String> others) {
        SpreamConfig said = config(others);
        return OutboxDesk.open(
                isStoredIn(said, DEFAULT_STORE) && !said.mayConfigure(MIGRATE)
                        ? config(with(others, "--%s=false".formatted(MIGRATE)))
                        : said);
    }

    private static boolean isStoredIn(SpreamConfig config, String plugin) {
        return config.raw(OutboxStoreProvider.PORT.key()).filter(plugin::equals).isPresent();
    }

    private static List<String> with(List<String> others, String flag) {
        return Stream.concat(others.stream(), Stream.of(flag)).toList();
    }

    /** What is configured, not judged yet. */
    SpreamConfig config(List<String> others) {
        verbosity.apply();
        return new StoreFlags(config, OutboxStoreProvider.PORT, DEFAULT_STORE)
                .config(
                        others,
                        List.of(
                                new StoreFlags.Setting("url", url),
                                new StoreFlags.Setting("user", user),
                                new StoreFlags.Setting("schema", schema),
                                new StoreFlags.Setting("table", table)));
    }
}

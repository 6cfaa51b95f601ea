package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ProjectionStoreProvider;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The flags of commands that work with the projections that a configuration names. Short ones stand for keys of the
 * configuration, so that projections in a database need no file.
 */
final class ProjectionArguments {
    private static final String DEFAULT_STORE = "jdbc";
    private static final String MIGRATE = "projections.jdbc.migrate";

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final ConfigArguments config = new ConfigArguments();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "The database of the read models, for projections.jdbc.url: jdbc:postgresql://<host>/<database>."
                            + " The password comes from the file or SPREAM_CONFIG_PROJECTIONS_JDBC_PASSWORD, not from a flag,"
                            + " which others on the machine could see.")
    private @Nullable String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Who connects, for projections.jdbc.user.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "NAME", description = "Where the tables are, for projections.jdbc.schema.")
    private @Nullable String schema;

    /**
     * Judges what is configured; the caller closes it. Neither schema nor tables are created or migrated, unless the
     * configuration says so. Nothing is connected to yet.
     *
     * @param others the arguments that are none of the command's own
     */
    ProjectionDesk open(List<String> others) {
        verbosity.apply();
        SpreamConfig said = config(others);
        boolean ours = said.raw(ProjectionStoreProvider.PORT.key())
                .filter(DEFAULT_STORE::equals)
                .isPresent();
        return ProjectionDesk.open(
                ours && !said.mayConfigure(MIGRATE)
                        ? config(Stream.concat(others.stream(), Stream.of("--%s=false".formatted(MIGRATE)))
                                .toList())
                        : said);
    }

    private SpreamConfig config(List<String> others) {
        return new StoreFlags(config, ProjectionStoreProvider.PORT, DEFAULT_STORE)
                .config(
                        others,
                        List.of(
                                new StoreFlags.Setting("url", url),
                                new StoreFlags.Setting("user", user),
                                new StoreFlags.Setting("schema", schema)));
    }
}

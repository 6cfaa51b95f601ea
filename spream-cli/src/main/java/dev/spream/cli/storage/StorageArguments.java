package dev.spream.cli.storage;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.FileArgument;
import dev.spream.cli.command.UsageFailure;
import dev.spream.storage.spanner.DatabaseName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The flags that select a partition storage, common to all commands. */
public final class StorageArguments {
    public static final List<String> SPANNER_ONLY =
            List.of("--metadata-table", "--metadata-database", "--create-table");
    public static final List<String> JDBC_ONLY =
            List.of("--jdbc-url", "--jdbc-user", "--jdbc-password-file", "--jdbc-schema", "--subscription");

    private static final String PASSWORD_VARIABLE = "SPREAM_CONFIG_STORAGE_JDBC_PASSWORD";
    private static final String DEFAULT_SCHEMA = "spream";
    private static final String JDBC_URL_START = "jdbc:postgresql:";

    /** The kinds of partition storage, by their names on the command line. */
    enum Kind {
        MEMORY,
        JDBC,
        SPANNER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--storage",
            paramLabel = "KIND",
            description = "Storage of partitions: memory, jdbc (PostgreSQL) or spanner. Default: spanner with"
                    + " --metadata-table, jdbc with --jdbc-url, else memory.")
    private @Nullable Kind storage;

    @Option(
            names = {"-t", "--metadata-table"},
            paramLabel = "NAME",
            description = "With --storage spanner: the table of partitions.")
    private @Nullable String metadataTable;

    @Option(
            names = "--metadata-database",
            paramLabel = "NAME",
            description = "With --storage spanner: the database of the table. Default: that of the stream.")
    private @Nullable DatabaseName metadataDatabase;

    @Option(
            names = "--jdbc-url",
            paramLabel = "URL",
            description = "With --storage jdbc: jdbc:postgresql://<host>/<database>.")
    private @Nullable String jdbcUrl;

    @Option(
            names = "--jdbc-user",
            paramLabel = "NAME",
            description = "With --storage jdbc: the user. Default: the URL's.")
    private @Nullable String jdbcUser;

    @Option(
            names = "--jdbc-password-file",
            paramLabel = "FILE",
            description =
                    "With --storage jdbc: a file with the password. Default: the environment's SPREAM_CONFIG_STORAGE_JDBC_PASSWORD. It is not"
                            + " taken as a flag, which others on the machine could see.")
    private @Nullable Path jdbcPasswordFile;

    @Option(
            names = "--jdbc-schema",
            paramLabel = "NAME",
            description = "With --storage jdbc: the schema of the tables. Default: spream.")
    private @Nullable String jdbcSchema;

    @Option(
            names = "--subscription",
            paramLabel = "NAME",
            description =
                    "With --storage jdbc: the name of the subscription in the schema. Default: the stream's name.")
    private @Nullable String subscription;

    /** Returns the storage for a reader, which may be in memory. */
    public StorageChoice ofReader(StreamArguments stream) {
        Kind name = storage == null ? named().orElse(Kind.MEMORY) : storage;
        return choice(name, stream);
    }

    /**
     * Returns the storage for a reader as keys of the configuration: the flags' storage, or else the one in memory. The
     * name of the subscription is among them if it is given.
     */
    public Map<String, String> keys(StorageChoice choice) {
        if (!(choice instanceof StorageChoice.Shared shared)) {
            return Map.of("storage", Kind.MEMORY.toString());
        }
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("storage", shared.plugin());
        shared.settings().forEach((key, value) -> keys.put("storage.%s.%s".formatted(shared.plugin(), key), value));
        shared.subscription().ifPresent(name -> keys.put("subscription", name));
        return keys;
    }

    /** Returns the storage for a command that inspects stored partitions. */
    public StorageChoice ofReaders(StreamArguments stream) {
        require(
                storage != Kind.MEMORY,
                "--storage memory cannot be read by other processes: use spanner with --metadata-table, or jdbc with --jdbc-url");
        Kind name = storage == null
                ? named().orElseThrow(() -> new UsageFailure(
                        "--storage is missing: use spanner with --metadata-table, or jdbc with --jdbc-url"))
                : storage;
        return choice(name, stream);
    }

    public Optional<DatabaseName> metadataDatabase() {
        return Optional.ofNullable(metadataDatabase);
    }

    private Optional<Kind> named() {
        require(
                metadataTable == null || jdbcUrl == null,
                "--metadata-table and --jdbc-url select two storages: remove one");
        return metadataTable != null
                ? Optional.of(Kind.SPANNER)
                : Optional.ofNullable(jdbcUrl).map(url -> Kind.JDBC);
    }

    private StorageChoice choice(Kind name, StreamArguments stream) {
        refuseUnless(Kind.SPANNER, SPANNER_ONLY, name);
        refuseUnless(Kind.JDBC, JDBC_ONLY, name);
        return switch (name) {
            case MEMORY -> new StorageChoice.Memory();
            case JDBC -> jdbc(stream);
            case SPANNER -> spanner(stream);
        };
    }

    private void refuseUnless(Kind owner, List<String> options, Kind name) {
        for (OptionSpec option : command.commandLine().getParseResult().matchedOptions()) {
            if (name != owner && options.contains(option.longestName())) {
                throw new UsageFailure(
                        "%s needs --storage %s; the storage is %s".formatted(option.longestName(), owner, name));
            }
        }
    }

    private StorageChoice jdbc(StreamArguments stream) {
        if (jdbcUrl == null) {
            throw new UsageFailure("--jdbc-url is missing; --storage jdbc needs it");
        }
        require(
                jdbcUrl.startsWith(JDBC_URL_START),
                "--jdbc-url is not a PostgreSQL URL: expected jdbc:postgresql://<host>/<database>");
        require(
                !hasPassword(jdbcUrl),
                "--jdbc-url has a password, which others on the machine can see: use --jdbc-password-file or %s"
                        .formatted(PASSWORD_VARIABLE));
        return new StorageChoice.Jdbc(
                jdbcUrl,
                Optional.ofNullable(jdbcUser),
                password(),
                jdbcSchema == null ? DEFAULT_SCHEMA : jdbcSchema,
                Optional.ofNullable(subscription).or(stream::stream));
    }

    private static boolean hasPassword(String url) {
        return url.toLowerCase(Locale.ROOT).contains("password=") || url.contains("@");
    }

    private Optional<String> password() {
        if (jdbcPasswordFile == null) {
            return Optional.ofNullable(System.getenv(PASSWORD_VARIABLE)).filter(value -> !value.isEmpty());
        }
        try {
            return Optional.of(FileArgument.read(jdbcPasswordFile).stripTrailing());
        } catch (IOException e) {
            throw new UsageFailure("--jdbc-password-file '%s' %s".formatted(jdbcPasswordFile, e.getMessage()));
        }
    }

    private StorageChoice spanner(StreamArguments stream) {
        if (metadataTable == null) {
            throw new UsageFailure("--metadata-table is missing; --storage spanner needs it");
        }
        DatabaseName database = Optional.ofNullable(metadataDatabase)
                .or(stream::database)
                .orElseThrow(() -> new UsageFailure("--metadata-database is missing, and so is --database"));
        return new StorageChoice.Spanner(database, metadataTable, false, stream.connection());
    }
}

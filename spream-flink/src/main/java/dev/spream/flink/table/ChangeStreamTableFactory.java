package dev.spream.flink.table;

import dev.spream.core.consume.Ordering;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.flink.SpannerStream;
import dev.spream.flink.SpannerSubscription;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/**
 * The connector {@code spanner-change-stream} of Flink SQL, found by {@link java.util.ServiceLoader}: a table that a
 * change stream watches, with the kinds of its changes. Immutable.
 */
public final class ChangeStreamTableFactory implements DynamicTableSourceFactory {
    private static final String CONNECTOR = "spanner-change-stream";
    private static final String OLD_VALUES =
            "let the stream capture old values and set 'value-capture' = 'NEW_ROW_AND_OLD_VALUES'";

    private static final ConfigOption<String> DATABASE = ConfigOptions.key("database")
            .stringType()
            .noDefaultValue()
            .withDescription("projects/<project>/instances/<instance>/databases/<database>");
    private static final ConfigOption<String> STREAM =
            ConfigOptions.key("stream").stringType().noDefaultValue().withDescription("The name of the change stream.");
    private static final ConfigOption<String> TABLE = ConfigOptions.key("table")
            .stringType()
            .noDefaultValue()
            .withDescription("The name of the watched table in Spanner, in its case of letters.");
    private static final ConfigOption<ValueCaptureType> VALUE_CAPTURE = ConfigOptions.key("value-capture")
            .enumType(ValueCaptureType.class)
            .defaultValue(ValueCaptureType.NEW_ROW)
            .withDescription(
                    "The values that the stream captures. With old values, rows before their change are emitted.");
    private static final ConfigOption<String> EMULATOR_HOST = ConfigOptions.key("emulator-host")
            .stringType()
            .noDefaultValue()
            .withDescription("The host and port of an emulator.");
    private static final ConfigOption<String> DATABASE_ROLE = ConfigOptions.key("database-role")
            .stringType()
            .noDefaultValue()
            .withDescription("The role of the database with which to read.");
    private static final ConfigOption<String> ENDPOINT = ConfigOptions.key("endpoint")
            .stringType()
            .noDefaultValue()
            .withDescription("The server, such as a regional endpoint: host:port or https://host.");
    private static final ConfigOption<String> CREDENTIALS_FILE = ConfigOptions.key("credentials-file")
            .stringType()
            .noDefaultValue()
            .withDescription("The file with the credentials, on each machine; by default those of the machine.");
    private static final ConfigOption<String> READ_FUNCTION = ConfigOptions.key("read-function")
            .stringType()
            .noDefaultValue()
            .withDescription("The function that reads the stream, such as the one of a placement.");
    private static final ConfigOption<String> DIRECTED_READS = ConfigOptions.key("directed-reads")
            .stringType()
            .noDefaultValue()
            .withDescription("The replicas that serve the stream, such as include:us-east1/read-only.");
    private static final ConfigOption<Integer> MAX_OPEN_QUERIES = ConfigOptions.key("max-open-queries")
            .intType()
            .defaultValue(700)
            .withDescription("The partitions that a subtask reads at the same time, from 1 to 25500.");
    private static final ConfigOption<String> STARTUP_TIMESTAMP = ConfigOptions.key("scan.startup.timestamp")
            .stringType()
            .noDefaultValue()
            .withDescription(
                    "The first commit timestamp to read, such as 2026-01-31T10:00:00Z; by default the server's time, which is kept from the first completed checkpoint on.");
    private static final ConfigOption<String> SUBSCRIPTION = ConfigOptions.key("scan.startup.subscription")
            .stringType()
            .noDefaultValue()
            .withDescription("The table of a stored subscription, where reading begins; no worker may read it.");
    private static final ConfigOption<String> SUBSCRIPTION_DATABASE = ConfigOptions.key(
                    "scan.startup.subscription-database")
            .stringType()
            .noDefaultValue()
            .withDescription("The database of that table, if it is not that of the stream.");
    private static final ConfigOption<String> SUBSCRIPTION_ROLE = ConfigOptions.key(
                    "scan.startup.subscription-database-role")
            .stringType()
            .noDefaultValue()
            .withDescription(
                    "The role with which to read that table; in the database of the stream, its role by default.");
    private static final ConfigOption<String> BOUNDED_TIMESTAMP = ConfigOptions.key("scan.bounded.timestamp")
            .stringType()
            .noDefaultValue()
            .withDescription("The last commit timestamp to read; the job ends after it.");
    private static final ConfigOption<Boolean> SNAPSHOT = ConfigOptions.key("scan.snapshot")
            .booleanType()
            .defaultValue(false)
            .withDescription("Whether the rows of the table come first, as inserts.");
    private static final ConfigOption<Duration> HEARTBEAT_INTERVAL = ConfigOptions.key("heartbeat-interval")
            .durationType()
            .defaultValue(Duration.ofSeconds(1))
            .withDescription("The interval of heartbeats of idle partitions, from 100 ms to 5 min.");
    private static final ConfigOption<Ordering> ORDERING = ConfigOptions.key("ordering")
            .enumType(Ordering.class)
            .defaultValue(Ordering.KEY)
            .withDescription("KEY, or NONE for tables whose rows are inserted only.");

    /** Creates the factory; called by Flink. */
    public ChangeStreamTableFactory() {}

    @Override
    public String factoryIdentifier() {
        return CONNECTOR;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(DATABASE, STREAM, TABLE);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(
                VALUE_CAPTURE,
                EMULATOR_HOST,
                DATABASE_ROLE,
                ENDPOINT,
                CREDENTIALS_FILE,
                READ_FUNCTION,
                DIRECTED_READS,
                STARTUP_TIMESTAMP,
                SUBSCRIPTION,
                SUBSCRIPTION_DATABASE,
                SUBSCRIPTION_ROLE,
                MAX_OPEN_QUERIES,
                BOUNDED_TIMESTAMP,
                SNAPSHOT,
                HEARTBEAT_INTERVAL,
                ORDERING);
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        DataType rowType = context.getPhysicalRowDataType();
        List<TableColumn> columns = columns(rowType, context.getPrimaryKeyIndexes());
        String name = context.getObjectIdentifier().getObjectName();
        boolean hasMetadata = context.getCatalogTable().getResolvedSchema().getColumns().stream()
                .anyMatch(Column.MetadataColumn.class::isInstance);
        try {
            ChangeStreamTableSource.Declaration declaration =
                    declaration(name, columns, hasMetadata, helper.getOptions());
            List<String> problems = problems(declaration, helper.getOptions().get(VALUE_CAPTURE));
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException(String.join("; ", problems));
            }
            return new ChangeStreamTableSource(declaration, rowType, List.of());
        } catch (IllegalArgumentException e) {
            throw new ValidationException("table %s: %s".formatted(name, e.getMessage()), e);
        }
    }

    private static List<TableColumn> columns(DataType rowType, int[] keyIndexes) {
        List<String> names = DataType.getFieldNames(rowType);
        List<DataType> types = DataType.getFieldDataTypes(rowType);
        Set<Integer> keys = Arrays.stream(keyIndexes).boxed().collect(Collectors.toSet());
        return IntStream.range(0, names.size())
                .mapToObj(i -> new TableColumn(names.get(i), types.get(i).getLogicalType(), keys.contains(i)))
                .toList();
    }

    private static ChangeStreamTableSource.Declaration declaration(
            String name, List<TableColumn> columns, boolean hasMetadata, ReadableConfig options) {
        SpannerStream stream = SpannerStream.of(options.get(DATABASE), options.get(STREAM))
                .maxOpenQueries(options.get(MAX_OPEN_QUERIES));
        stream = options.getOptional(EMULATOR_HOST).map(stream::emulatorHost).orElse(stream);
        stream = options.getOptional(DATABASE_ROLE).map(stream::databaseRole).orElse(stream);
        stream = options.getOptional(ENDPOINT).map(stream::endpoint).orElse(stream);
        stream = options.getOptional(CREDENTIALS_FILE)
                .map(stream::credentialsFile)
                .orElse(stream);
        stream = options.getOptional(READ_FUNCTION).map(stream::readFunction).orElse(stream);
        stream = options.getOptional(DIRECTED_READS).map(stream::directedReads).orElse(stream);
        ValueCaptureType capture = options.get(VALUE_CAPTURE);
        boolean oldValues =
                capture == ValueCaptureType.OLD_AND_NEW_VALUES || capture == ValueCaptureType.NEW_ROW_AND_OLD_VALUES;
        return new ChangeStreamTableSource.Declaration(
                name,
                stream,
                options.get(TABLE),
                columns,
                oldValues,
                oldValues && !hasMetadata, // an old row has no metadata of its own: Flink keeps that of the last change
                timestamp(options, STARTUP_TIMESTAMP),
                subscription(options),
                timestamp(options, BOUNDED_TIMESTAMP),
                options.get(SNAPSHOT),
                options.get(HEARTBEAT_INTERVAL),
                options.get(ORDERING));
    }

    private static Optional<SpannerSubscription> subscription(ReadableConfig options) {
        Optional<String> table = options.getOptional(SUBSCRIPTION);
        Optional<String> database = options.getOptional(SUBSCRIPTION_DATABASE);
        Optional<String> role = options.getOptional(SUBSCRIPTION_ROLE);
        if (table.isEmpty() && (database.isPresent() || role.isPresent())) {
            throw new IllegalArgumentException("%s is set without %s"
                    .formatted(
                            database.isPresent() ? SUBSCRIPTION_DATABASE.key() : SUBSCRIPTION_ROLE.key(),
                            SUBSCRIPTION.key()));
        }
        Optional<String> reading = database.isPresent() ? role : role.or(() -> options.getOptional(DATABASE_ROLE));
        return table.map(name -> {
            SpannerSubscription stored = SpannerSubscription.of(database.orElseGet(() -> options.get(DATABASE)), name);
            SpannerSubscription located =
                    options.getOptional(EMULATOR_HOST).map(stored::emulatorHost).orElse(stored);
            located = options.getOptional(ENDPOINT).map(located::endpoint).orElse(located);
            located = options.getOptional(CREDENTIALS_FILE)
                    .map(located::credentialsFile)
                    .orElse(located);
            return reading.map(located::databaseRole).orElse(located);
        });
    }

    /** Returns what is wrong with the columns. */
    private static List<String> problems(ChangeStreamTableSource.Declaration declaration, ValueCaptureType capture) {
        List<String> problems = new ArrayList<>();
        if (capture == ValueCaptureType.UNKNOWN) {
            problems.add("value-capture is UNKNOWN, must be what the stream captures, such as NEW_ROW");
        }
        for (TableColumn column : declaration.columns()) {
            ColumnValues.replacement(column.type())
                    .ifPresent(type ->
                            problems.add("column %s is declared as %s, which no column of Spanner is: declare it as %s"
                                    .formatted(column.name(), column.type().asSummaryString(), type)));
        }
        boolean hasKey = declaration.columns().stream().anyMatch(TableColumn::isKey);
        if (!declaration.oldRows() && !hasKey) {
            problems.add(
                    "%s, changes are upserts by a primary key, and none is declared: add PRIMARY KEY (…) NOT ENFORCED with the key that the table has in Spanner, or %s"
                            .formatted(
                                    declaration.oldValues() ? "with metadata columns" : "without old values",
                                    declaration.oldValues() ? "leave out the metadata columns" : OLD_VALUES));
        }
        List<String> absent = declaration.oldValues()
                ? List.of()
                : declaration.columns().stream()
                        .filter(column -> !column.isKey() && !column.type().isNullable())
                        .map(TableColumn::name)
                        .toList();
        if (!absent.isEmpty()) {
            problems.add(
                    "without old values, a delete has the primary key alone, and NOT NULL is declared for %s: leave that out, or %s"
                            .formatted(String.join(", ", absent), OLD_VALUES));
        }
        return problems;
    }

    private static Optional<Instant> timestamp(ReadableConfig options, ConfigOption<String> option) {
        return options.getOptional(option).map(text -> {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new IllegalArgumentException(
                        "%s is %s, must be a timestamp such as 2026-01-31T10:00:00Z".formatted(option.key(), text), e);
            }
        });
    }
}

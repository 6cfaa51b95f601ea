package dev.spream.emulator.internal.database;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.ReadRequest;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.engine.KeyLocks;
import dev.spream.emulator.internal.schema.RowKey;
import dev.spream.emulator.internal.sql.DdlParser;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.sql.Privilege.Kind;
import dev.spream.emulator.internal.sql.SqlParameters;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.StatementReads;
import dev.spream.emulator.internal.sql.Translation;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.stream.CommitClock;
import dev.spream.emulator.internal.stream.StreamSettings;
import dev.spream.emulator.internal.streamsql.StreamStatement;
import dev.spream.emulator.internal.streamsql.StreamStatementParser;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A database of the emulator. Safe for use by many threads; closing it ends its transactions and its change streams.
 *
 * <p>Read-write transactions run side by side and pass the {@link TransactionGate}; reads outside them see the latest
 * commit, or the one at which a {@link Snapshot} was taken. Schema changes wait for the transactions and close all
 * snapshots.
 */
public final class EmulatedDatabase implements AutoCloseable {
    private final String name;
    private final DatabaseDialect dialect;
    private final Engine engine;
    private final CommitClock clock;
    private final ChangeStreams streams;
    private final Statements statements;
    private final KeyedReads keyReader;
    private final SchemaEditor editor;
    private final TransactionGate gate = new TransactionGate();
    private final KeyLocks<RowKey> keyLocks = new KeyLocks<>(TransactionGate.MAX_WAIT);
    private final KeyLocks<RowKey> missingRows = new KeyLocks<>(Duration.ofMillis(250));
    private final Commits commits;
    private final OpenTransactions transactions;
    private final ExpiredRows expiredRows;
    private final Instant createTime;

    // The engine alters a table by a copy: a read in between would find none.
    private final ReadWriteLock structure = new ReentrantReadWriteLock();

    private volatile Schema schema;

    /** The information schema, if it was read since the last schema change. */
    private volatile @Nullable InformationSchema information;

    /** Creates an empty database, with the last part of its name as the PostgreSQL catalog. */
    public EmulatedDatabase(
            String name, DatabaseDialect dialect, InstantSource time, StreamSettings settings, long seed) {
        this.name = name;
        this.dialect = dialect;
        this.schema = Schema.empty(dialect);
        this.engine = new Engine(dialect, TransactionGate.MAX_WAIT);
        this.clock = new CommitClock(time, seed);
        this.streams = new ChangeStreams(dialect, clock, settings, seed);
        this.commits = new Commits(time, clock, streams);
        this.statements = new Statements(dialect, this::schema, clock::now);
        this.keyReader = new KeyedReads(statements);
        this.editor = new SchemaEditor(engine, dialect, streams, clock::now);
        this.createTime = clock.now();
        try {
            InformationSchema.addTables(engine, dialect, this::information);
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
        this.transactions = new OpenTransactions(this);
        this.expiredRows = new ExpiredRows(this, clock);
        expiredRows.start();
    }

    public String name() {
        return name;
    }

    public DatabaseDialect dialect() {
        return dialect;
    }

    public ChangeStreams streams() {
        return streams;
    }

    public OpenTransactions transactions() {
        return transactions;
    }

    public Instant createTime() {
        return createTime;
    }

    /** Returns a timestamp at which everything committed so far is visible and no later commit will be. */
    public Instant now() {
        return clock.now();
    }

    /**
     * Returns the privileges of a session with a role; an empty role has all.
     *
     * @throws io.grpc.StatusRuntimeException PERMISSION_DENIED if there is no such role
     */
    public AccessControl access(String role) {
        return new AccessControl(schema, dialect, role);
    }

    Engine engine() {
        return engine;
    }

    Statements statements() {
        return statements;
    }

    TransactionGate gate() {
        return gate;
    }

    KeyLocks<RowKey> keyLocks() {
        return keyLocks;
    }

    /** The locks on rows for which a transaction has looked in vain; writers do not wait for them. */
    KeyLocks<RowKey> missingRows() {
        return missingRows;
    }

    Commits commits() {
        return commits;
    }

    Schema schema() {
        return schema;
    }

    /** Returns a log of the commits from now on. */
    public CommitLog recordCommits() {
        return commits.record();
    }

    /**
     * Takes a view of the latest commit, or of the rows as of a time, for which it waits if that is in the future.
     *
     * @throws io.grpc.StatusRuntimeException FAILED_PRECONDITION if the rows as of that time are not kept any more
     */
    Snapshot snapshot(ByteString id, Optional<Instant> time) {
        time.ifPresent(commits::await);
        return besidesDdl(() -> time.map(
                        past -> commits.snapshot(id, past, engine, new PastTables(schema, dialect, statements)))
                .orElseGet(() -> commits.snapshot(id, engine)));
    }

    /** Returns the statements that create the database in its present form. */
    public List<String> ddl() {
        List<String> ddl = schemaDdl();
        ddl.addAll(streams.ddl());
        ddl.addAll(schema.roles().ddl(isPostgres()));
        return ddl;
    }

    /** Returns the statements that create the schema, each after those that it needs. */
    private List<String> schemaDdl() {
        boolean postgres = isPostgres();
        Schema schema = this.schema;
        List<String> statements = new ArrayList<>();
        schema.defaultSequenceKind()
                .ifPresent(kind -> statements.add((postgres
                                ? "ALTER DATABASE %s SET spanner.default_sequence_kind = 'bit_reversed_positive'"
                                : "ALTER DATABASE %s SET OPTIONS (default_sequence_kind = 'bit_reversed_positive')")
                        .formatted(kind.database())));
        schema.namedSchemas().forEach(name -> statements.add("CREATE SCHEMA " + StoredTable.shown(name, postgres)));
        schema.sequences()
                .forEach((name, sequence) -> statements.add("CREATE SEQUENCE " + StoredTable.shown(name, postgres)
                        + sequence.options().ddl(postgres)));
        schema.bundle().ddl().ifPresent(statements::add);
        for (StoredTable table : schema.tables()) {
            statements.add(table.ddl(dialect));
            if (!postgres) {
                schema.indexesOf(table.name()).forEach(index -> statements.add(indexDdl(index)));
            }
        }
        if (postgres) {
            schema.indexes().forEach(index -> statements.add(indexDdl(index)));
        }
        schema.views().forEach(view -> statements.add(view.ddl(postgres)));
        return statements;
    }

    private String indexDdl(CreateIndex index) {
        boolean postgres = isPostgres();
        String parts = index.parts().stream()
                .map(part -> StoredTable.shown(part.column(), postgres) + (part.descending() ? " DESC" : ""))
                .collect(Collectors.joining(", "));
        String storing = index.storing().stream()
                .map(column -> StoredTable.shown(column, postgres))
                .collect(Collectors.joining(", ", postgres ? " INCLUDE (" : " STORING (", ")"));
        return "CREATE %s%sINDEX %s ON %s%s(%s)%s"
                .formatted(
                        index.unique() ? "UNIQUE " : "",
                        index.nullFiltered() && !postgres ? "NULL_FILTERED " : "",
                        StoredTable.shown(index.name(), postgres),
                        StoredTable.shown(index.table(), postgres),
                        postgres ? " " : "",
                        parts,
                        index.storing().isEmpty() ? "" : storing);
    }

    private boolean isPostgres() {
        return dialect == DatabaseDialect.POSTGRESQL;
    }

    /** Returns the descriptors of the proto bundle, as they were sent; empty if there is none. */
    public ByteString protoDescriptors() {
        return schema.bundle().descriptors();
    }

    /**
     * Applies DDL statements in order and stops at the first failure; the statements before it stay applied.
     *
     * @param protoDescriptors the descriptors for statements about the proto bundle; empty if there are none
     */
    public void applyDdl(List<String> ddl, ByteString protoDescriptors) {
        gate.exclusively(() -> {
            structure.writeLock().lock();
            try {
                transactions.closeSnapshots();
                ddl.forEach(statement -> applyDdl(statement, protoDescriptors));
            } finally {
                information = null;
                structure.writeLock().unlock();
            }
        });
    }

    /** Returns the result of a read that no DDL statement overlaps. */
    <T> T besidesDdl(Supplier<T> read) {
        structure.readLock().lock();
        try {
            return read.get();
        } finally {
            structure.readLock().unlock();
        }
    }

    private void applyDdl(String statement, ByteString protoDescriptors) {
        if (streams.handles(statement)) {
            if (StreamStatementParser.parse(Dialect.of(dialect), statement) instanceof StreamStatement.Drop drop) {
                schema.roles().checkUngranted(Kind.CHANGE_STREAM, drop.stream());
                for (PartitionMode mode : PartitionMode.values()) {
                    String function = Dialect.of(dialect).readFunction(drop.stream(), mode);
                    schema.roles().checkUngranted(Kind.FUNCTION, function);
                }
            }
            streams.apply(statement, schema.streamTables());
        } else {
            Schema changed =
                    editor.apply(DdlParser.parse(statement, dialect, schema.bundle()), schema, protoDescriptors);
            if (!changed.tables().containsAll(schema.tables())) {
                commits.forget();
            }
            schema = changed;
        }
    }

    private InformationSchema information() {
        InformationSchema known = information;
        if (known == null) {
            String last = name.substring(name.lastIndexOf('/') + 1);
            known = new InformationSchema(schema, streams.definitions(), dialect, last);
            information = known;
        }
        return known;
    }

    public QueryResult query(String sql, SqlParameters parameters, ReadContext context, boolean planOnly) {
        refuseForeignStatements(sql);
        Translation query = translate(sql, parameters);
        if (query.sql().contains("SPANNER_NEXT_VALUE(") && !(context instanceof ReadContext.Inside)) {
            throw Errors.invalidArgument("The following functions can only be used in a read-write or partitioned-dml"
                    + " transaction. Current transaction type is ReadOnly: get_next_sequence_value");
        }
        return context.read(
                this,
                () -> reads(sql, parameters),
                connection -> planOnly ? statements.plan(connection, query) : statements.query(connection, query));
    }

    private static void refuseForeignStatements(String sql) {
        String start = sql.stripLeading();
        if (start.isEmpty()) {
            throw Errors.invalidArgument("The query is empty");
        }
        String first = start.split("[\\s(]", 2)[0].toUpperCase(Locale.ROOT);
        boolean words = first.chars().allMatch(Character::isLetter);
        if (words && !first.isEmpty() && !first.equals("SELECT") && !first.equals("WITH")) {
            throw Errors.invalidArgument("Syntax error: Expected a query or DML but got \"%s\"", first);
        }
    }

    public QueryResult dml(String sql, SqlParameters parameters, ReadWriteTransaction transaction, boolean planOnly) {
        Translation dml = translate(sql, parameters);
        return planOnly
                ? transaction.query(connection -> statements.plan(connection, dml), Reads::none)
                : transaction.dml(dml, () -> reads(sql, parameters));
    }

    private Reads reads(String sql, SqlParameters parameters) {
        return Reads.of(StatementReads.of(sql, dialect, parameters, schema), schema);
    }

    private Translation translate(String sql, SqlParameters parameters) {
        return SqlTranslator.translate(sql, dialect, parameters, schema, clock.now());
    }

    public QueryResult read(ReadRequest read, ReadContext context) {
        return context.read(this, () -> Reads.of(read, schema), connection -> keyReader.read(connection, schema, read));
    }

    @Override
    public void close() {
        expiredRows.close();
        transactions.close();
        streams.close();
        engine.close();
    }
}

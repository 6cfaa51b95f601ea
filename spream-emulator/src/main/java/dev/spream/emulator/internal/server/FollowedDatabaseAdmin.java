package dev.spream.emulator.internal.server;

import static dev.spream.emulator.internal.server.UnaryCalls.answer;

import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import com.google.spanner.admin.database.v1.CreateDatabaseRequest;
import com.google.spanner.admin.database.v1.DatabaseAdminGrpc;
import com.google.spanner.admin.database.v1.DropDatabaseRequest;
import com.google.spanner.admin.database.v1.GetDatabaseDdlRequest;
import com.google.spanner.admin.database.v1.GetDatabaseDdlResponse;
import com.google.spanner.admin.database.v1.UpdateDatabaseDdlRequest;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.stream.PartitionModeDdl;
import dev.spream.emulator.internal.streamsql.StreamStatementParser;
import dev.spream.emulator.internal.upstream.FollowedDatabase;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Locale;

/**
 * The calls that change databases of the other server: they are forwarded, and the change streams then followed as they
 * have become.
 */
final class FollowedDatabaseAdmin extends DatabaseAdminGrpc.DatabaseAdminImplBase {
    private final DatabaseAdminGrpc.DatabaseAdminBlockingStub other;
    private final UpstreamBackend databases;

    FollowedDatabaseAdmin(DatabaseAdminGrpc.DatabaseAdminBlockingStub other, UpstreamBackend databases) {
        this.other = other;
        this.databases = databases;
    }

    @Override
    public void createDatabase(CreateDatabaseRequest request, StreamObserver<Operation> observer) {
        answer(observer, () -> create(request));
    }

    Operation create(CreateDatabaseRequest request) {
        Dialect dialect = Dialect.of(request.getDatabaseDialect());
        List<String> statements = request.getExtraStatementsList();
        Operation operation = other.createDatabase(request.toBuilder()
                .clearExtraStatements()
                .addAllExtraStatements(forwarded(statements, dialect))
                .build());
        String created = request.getCreateStatement().replaceFirst("(?is)^\\s*create\\s+database\\s+", "");
        String name = request.getParent() + "/databases/" + created.replaceAll("[`\";\\s]", "");
        databases.forget(name); // one of this name may have been dropped in the other server directly
        if (concernsStreams(statements)) {
            databases.created(name, statements);
        }
        return operation;
    }

    @Override
    public void updateDatabaseDdl(UpdateDatabaseDdlRequest request, StreamObserver<Operation> observer) {
        answer(observer, () -> update(request));
    }

    Operation update(UpdateDatabaseDdlRequest request) {
        List<String> statements = request.getStatementsList();
        if (!concernsStreams(statements)) {
            try {
                return other.updateDatabaseDdl(request);
            } finally {
                databases.followed(request.getDatabase()).ifPresent(FollowedDatabase::forgetTables);
            }
        }
        FollowedDatabase database = databases.database(request.getDatabase());
        try {
            return other.updateDatabaseDdl(request.toBuilder()
                    .clearStatements()
                    .addAllStatements(forwarded(statements, database.dialect()))
                    .build());
        } finally {
            database.applied(statements);
        }
    }

    /** Returns whether statements may change streams. */
    private static boolean concernsStreams(List<String> statements) {
        return statements.stream().anyMatch(ddl -> ddl.toUpperCase(Locale.ROOT).contains("STREAM"));
    }

    private static List<String> forwarded(List<String> statements, Dialect dialect) {
        return statements.stream()
                .map(ddl -> PartitionModeDdl.of(ddl, dialect)
                        .map(PartitionModeDdl::ddl)
                        .orElse(ddl))
                .toList();
    }

    @Override
    public void dropDatabase(DropDatabaseRequest request, StreamObserver<Empty> observer) {
        answer(observer, () -> drop(request));
    }

    Empty drop(DropDatabaseRequest request) {
        Empty dropped = other.dropDatabase(request);
        databases.forget(request.getDatabase());
        return dropped;
    }

    @Override
    public void getDatabaseDdl(GetDatabaseDdlRequest request, StreamObserver<GetDatabaseDdlResponse> observer) {
        answer(observer, () -> {
            GetDatabaseDdlResponse ddl = other.getDatabaseDdl(request);
            if (!concernsStreams(ddl.getStatementsList())) {
                return ddl;
            }
            FollowedDatabase database = databases.database(request.getDatabase());
            return ddl.toBuilder()
                    .clearStatements()
                    .addAllStatements(ddl.getStatementsList().stream()
                            .map(statement -> withMode(statement, database))
                            .toList())
                    .build();
        });
    }

    private static String withMode(String statement, FollowedDatabase database) {
        if (database.modes().isEmpty() || !StreamStatementParser.handles(database.dialect(), statement)) {
            return statement;
        }
        return PartitionModeDdl.withMode(statement, database.dialect(), database.modes());
    }
}

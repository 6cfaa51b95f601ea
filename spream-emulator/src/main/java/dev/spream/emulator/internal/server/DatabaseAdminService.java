package dev.spream.emulator.internal.server;

import static dev.spream.emulator.internal.server.UnaryCalls.answer;

import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import com.google.spanner.admin.database.v1.CreateDatabaseMetadata;
import com.google.spanner.admin.database.v1.CreateDatabaseRequest;
import com.google.spanner.admin.database.v1.Database;
import com.google.spanner.admin.database.v1.DatabaseAdminGrpc;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.admin.database.v1.DropDatabaseRequest;
import com.google.spanner.admin.database.v1.GetDatabaseDdlRequest;
import com.google.spanner.admin.database.v1.GetDatabaseDdlResponse;
import com.google.spanner.admin.database.v1.GetDatabaseRequest;
import com.google.spanner.admin.database.v1.ListDatabasesRequest;
import com.google.spanner.admin.database.v1.ListDatabasesResponse;
import com.google.spanner.admin.database.v1.UpdateDatabaseDdlMetadata;
import com.google.spanner.admin.database.v1.UpdateDatabaseDdlRequest;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Errors;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Databases and their DDL. Every operation is complete when its response is sent. */
final class DatabaseAdminService extends DatabaseAdminGrpc.DatabaseAdminImplBase {
    private static final Pattern CREATE =
            Pattern.compile("(?i)\\s*CREATE\\s+DATABASE\\s+[`\"]?([a-z][a-z0-9_-]*)[`\"]?\\s*;?\\s*");

    private final DatabaseCatalog catalog;
    private final OperationsService operations;

    DatabaseAdminService(DatabaseCatalog catalog, OperationsService operations) {
        this.catalog = catalog;
        this.operations = operations;
    }

    @Override
    public void createDatabase(CreateDatabaseRequest request, StreamObserver<Operation> observer) {
        answer(observer, () -> {
            Matcher create = CREATE.matcher(request.getCreateStatement());
            if (!create.matches()) {
                throw Errors.invalidArgument("Invalid CREATE DATABASE statement: %s", request.getCreateStatement());
            }
            boolean postgres = request.getDatabaseDialect() == DatabaseDialect.POSTGRESQL;
            String name = request.getParent() + "/databases/" + create.group(1);
            Database created = described(catalog.createDatabase(
                    name,
                    postgres ? DatabaseDialect.POSTGRESQL : DatabaseDialect.GOOGLE_STANDARD_SQL,
                    request.getExtraStatementsList(),
                    request.getProtoDescriptors()));
            CreateDatabaseMetadata metadata =
                    CreateDatabaseMetadata.newBuilder().setDatabase(name).build();
            return operations.done(name, "", metadata, created);
        });
    }

    private static Database described(EmulatedDatabase database) {
        return Database.newBuilder()
                .setName(database.name())
                .setState(Database.State.READY)
                .setDatabaseDialect(database.dialect())
                .setCreateTime(WireTimestamps.timestamp(database.createTime()))
                .setVersionRetentionPeriod("1h")
                .build();
    }

    @Override
    public void getDatabase(GetDatabaseRequest request, StreamObserver<Database> observer) {
        answer(observer, () -> described(catalog.database(request.getName())));
    }

    @Override
    public void listDatabases(ListDatabasesRequest request, StreamObserver<ListDatabasesResponse> observer) {
        answer(observer, () -> {
            String instance = catalog.instance(request.getParent()).getName();
            return ListDatabasesResponse.newBuilder()
                    .addAllDatabases(catalog.databasesOf(instance).stream()
                            .map(DatabaseAdminService::described)
                            .toList())
                    .build();
        });
    }

    @Override
    public void dropDatabase(DropDatabaseRequest request, StreamObserver<Empty> observer) {
        answer(observer, () -> {
            catalog.dropDatabase(request.getDatabase());
            return Empty.getDefaultInstance();
        });
    }

    @Override
    public void updateDatabaseDdl(UpdateDatabaseDdlRequest request, StreamObserver<Operation> observer) {
        answer(observer, () -> {
            EmulatedDatabase database = catalog.database(request.getDatabase());
            List<String> statements = request.getStatementsList();
            database.applyDdl(statements, request.getProtoDescriptors());
            UpdateDatabaseDdlMetadata.Builder metadata = UpdateDatabaseDdlMetadata.newBuilder()
                    .setDatabase(database.name())
                    .addAllStatements(statements);
            statements.forEach(statement -> metadata.addCommitTimestamps(WireTimestamps.timestamp(database.now())));
            return operations.done(
                    database.name(), request.getOperationId(), metadata.build(), Empty.getDefaultInstance());
        });
    }

    @Override
    public void getDatabaseDdl(GetDatabaseDdlRequest request, StreamObserver<GetDatabaseDdlResponse> observer) {
        answer(observer, () -> {
            EmulatedDatabase database = catalog.database(request.getDatabase());
            return GetDatabaseDdlResponse.newBuilder()
                    .addAllStatements(database.ddl())
                    .setProtoDescriptors(database.protoDescriptors())
                    .build();
        });
    }
}

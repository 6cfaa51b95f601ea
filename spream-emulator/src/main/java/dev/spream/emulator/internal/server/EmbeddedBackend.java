package dev.spream.emulator.internal.server;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.stream.StreamSettings;
import io.grpc.ServerBuilder;
import java.time.InstantSource;
import java.util.List;

/** The emulator's own databases, in memory. */
public final class EmbeddedBackend implements Backend {
    private final DatabaseCatalog catalog;

    public EmbeddedBackend(InstantSource time, StreamSettings settings, long seed) {
        this.catalog = new DatabaseCatalog(time, settings, seed);
    }

    @Override
    public void addServices(ServerBuilder<?> server) {
        OperationsService operations = new OperationsService();
        server.addService(new SpannerService(catalog))
                .addService(new DatabaseAdminService(catalog, operations))
                .addService(new InstanceAdminService(catalog, operations))
                .addService(operations);
    }

    @Override
    public void createDatabase(String name, DatabaseDialect dialect, List<String> ddl) {
        catalog.ensureInstance(name.substring(0, name.indexOf("/databases/")));
        catalog.createDatabase(name, dialect, ddl, ByteString.EMPTY);
    }

    @Override
    public void dropDatabase(String name) {
        catalog.dropDatabase(name);
    }

    @Override
    public ChangeStreams streams(String database) {
        return catalog.database(database).streams();
    }

    @Override
    public CommitLog recordCommits(String database) {
        return catalog.database(database).recordCommits();
    }

    @Override
    public void close() {
        catalog.close();
    }
}

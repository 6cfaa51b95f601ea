package dev.spream.emulator.internal.server;

import com.google.spanner.admin.database.v1.CreateDatabaseRequest;
import com.google.spanner.admin.database.v1.DatabaseAdminGrpc;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.admin.database.v1.DropDatabaseRequest;
import com.google.spanner.admin.database.v1.UpdateDatabaseDdlRequest;
import com.google.spanner.admin.instance.v1.CreateInstanceRequest;
import com.google.spanner.admin.instance.v1.Instance;
import com.google.spanner.admin.instance.v1.InstanceAdminGrpc;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsRequest;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.stream.StreamSettings;
import dev.spream.emulator.internal.upstream.FollowedDatabase;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The databases of another server, Google's emulator. It answers every call itself, except the queries of change streams,
 * which are answered here from what its streams return.
 */
public final class UpstreamBackend implements Backend {
    private static final long ANSWER_SECONDS = 5;

    private final ManagedChannel channel;
    private final InstantSource time;
    private final StreamSettings settings;
    private final long seed;
    private final Map<String, FollowedDatabase> databases = new ConcurrentHashMap<>();
    private final FollowedDatabaseAdmin admin;

    /**
     * Connects to a server.
     *
     * @param host its host and port
     * @throws UncheckedIOException if no server answers there
     */
    public UpstreamBackend(String host, InstantSource time, StreamSettings settings, long seed, int maxMessageBytes) {
        this.channel = ManagedChannelBuilder.forTarget(host)
                .usePlaintext()
                .maxInboundMessageSize(maxMessageBytes)
                .build();
        this.time = time;
        this.settings = settings;
        this.seed = seed;
        checkAnswer(host);
        this.admin = new FollowedDatabaseAdmin(DatabaseAdminGrpc.newBlockingStub(channel), this);
    }

    private void checkAnswer(String host) {
        try {
            InstanceAdminGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .listInstanceConfigs(ListInstanceConfigsRequest.newBuilder()
                            .setParent("projects/spream")
                            .build());
        } catch (StatusRuntimeException e) {
            channel.shutdownNow();
            throw new UncheckedIOException(
                    "no Spanner server answers at %s: start Google's emulator there, or correct the address"
                            .formatted(host),
                    new ConnectException(String.valueOf(e.getStatus())));
        }
    }

    @Override
    public void addServices(ServerBuilder<?> server) {
        server.addService(only(
                        new FollowedSpanner(channel, this),
                        "BeginTransaction",
                        "ExecuteStreamingSql",
                        "ExecuteSql",
                        "ExecuteBatchDml",
                        "StreamingRead",
                        "Read",
                        "Commit",
                        "Rollback"))
                .addService(only(admin, "CreateDatabase", "UpdateDatabaseDdl", "DropDatabase", "GetDatabaseDdl"))
                .fallbackHandlerRegistry(new ForwardedCalls(channel));
    }

    /** Returns the service with these methods only: the others are forwarded. */
    private static ServerServiceDefinition only(BindableService service, String... methods) {
        ServerServiceDefinition all = service.bindService();
        String name = all.getServiceDescriptor().getName();
        ServerServiceDefinition.Builder some = ServerServiceDefinition.builder(name);
        for (String method : methods) {
            some.addMethod(all.getMethod(MethodDescriptor.generateFullMethodName(name, method)));
        }
        return some.build();
    }

    FollowedDatabase database(String name) {
        return databases.computeIfAbsent(name, each -> follow(each, List.of()));
    }

    private FollowedDatabase follow(String name, List<String> ddl) {
        return new FollowedDatabase(channel, name, ddl, time, settings, seed);
    }

    /** Follows a database that was created just now with these statements. */
    void created(String name, List<String> ddl) {
        databases.computeIfAbsent(name, each -> follow(each, ddl));
    }

    /** Returns the database if its streams are followed. */
    Optional<FollowedDatabase> followed(String name) {
        return Optional.ofNullable(databases.get(name));
    }

    void forget(String name) {
        FollowedDatabase dropped = databases.remove(name);
        if (dropped != null) {
            dropped.close();
        }
    }

    @Override
    public void createDatabase(String name, DatabaseDialect dialect, List<String> ddl) {
        int at = name.indexOf("/databases/");
        ensureInstance(name.substring(0, at));
        String id = name.substring(at + "/databases/".length());
        String quote = dialect == DatabaseDialect.POSTGRESQL ? "\"" : "`";
        admin.create(CreateDatabaseRequest.newBuilder()
                .setParent(name.substring(0, at))
                .setDatabaseDialect(dialect)
                .setCreateStatement("CREATE DATABASE " + quote + id + quote)
                .build());
        if (!ddl.isEmpty()) {
            try {
                admin.update(UpdateDatabaseDdlRequest.newBuilder()
                        .setDatabase(name)
                        .addAllStatements(ddl)
                        .build());
            } catch (StatusRuntimeException e) {
                dropDatabase(name);
                throw e;
            }
        }
    }

    @Override
    public void dropDatabase(String name) {
        admin.drop(DropDatabaseRequest.newBuilder().setDatabase(name).build());
    }

    private void ensureInstance(String name) {
        String[] parts = name.split("/", -1);
        String project = "projects/" + parts[1];
        try {
            InstanceAdminGrpc.newBlockingStub(channel)
                    .createInstance(CreateInstanceRequest.newBuilder()
                            .setParent(project)
                            .setInstanceId(parts[3])
                            .setInstance(Instance.newBuilder()
                                    .setName(name)
                                    .setConfig(project + "/instanceConfigs/emulator-config")
                                    .setDisplayName(parts[3])
                                    .setNodeCount(1))
                            .build());
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.ALREADY_EXISTS) {
                throw e;
            }
        }
    }

    @Override
    public ChangeStreams streams(String database) {
        return database(database).streams();
    }

    @Override
    public CommitLog recordCommits(String database) {
        return database(database).recordCommits();
    }

    @Override
    public void close() {
        databases.keySet().forEach(this::forget);
        channel.shutdownNow();
    }
}

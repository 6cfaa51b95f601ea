package dev.spream.emulator.internal.server;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.stream.ChangeStreams;
import io.grpc.ServerBuilder;
import java.util.List;

/** The databases behind the emulator's port, and the services that answer for them. Safe for use by many threads. */
public interface Backend extends AutoCloseable {

    /** Adds the services to a server before it is started. */
    void addServices(ServerBuilder<?> server);

    /** Creates a database by its full name, and its instance if that does not exist. */
    void createDatabase(String name, DatabaseDialect dialect, List<String> ddl);

    /** Drops a database; harmless if it does not exist. */
    void dropDatabase(String name);

    /** Returns the change streams of a database; NOT_FOUND if it does not exist. */
    ChangeStreams streams(String database);

    /** Returns a log of the commits of a database from now on; NOT_FOUND if it does not exist. */
    CommitLog recordCommits(String database);

    @Override
    void close();
}

package dev.spream.emulator.internal.server;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.admin.instance.v1.Instance;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.stream.StreamSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The instances and databases of the emulator, by their full names. Safe for use by many threads. */
final class DatabaseCatalog implements AutoCloseable {
    private final InstantSource time;
    private final StreamSettings settings;
    private final long seed;
    private final Map<String, Instance> instances = new ConcurrentSkipListMap<>();
    private final Map<String, EmulatedDatabase> databases = new ConcurrentSkipListMap<>();

    /** Creates an empty catalog, whose databases use this clock, these settings and the seed. */
    DatabaseCatalog(InstantSource time, StreamSettings settings, long seed) {
        this.time = time;
        this.settings = settings;
        this.seed = seed;
    }

    void createInstance(Instance instance) {
        if (instances.putIfAbsent(instance.getName(), instance) != null) {
            throw Errors.alreadyExists("Instance already exists: %s", instance.getName());
        }
    }

    /** Creates an instance of one node, unless it exists. */
    void ensureInstance(String name) {
        instances.putIfAbsent(
                name, InstanceAdminService.ready(Instance.newBuilder().setName(name), time.instant()));
    }

    InstantSource time() {
        return time;
    }

    Instance instance(String name) {
        Instance instance = instances.get(name);
        if (instance == null) {
            throw Errors.instanceNotFound(name);
        }
        return instance;
    }

    List<Instance> instancesOf(String project) {
        return instances.values().stream()
                .filter(instance -> instance.getName().startsWith(project + "/instances/"))
                .toList();
    }

    void deleteInstance(String name) {
        instances.remove(name);
        databasesOf(name).forEach(database -> dropDatabase(database.name()));
    }

    /** Creates a database with its first DDL statements; if one fails, the database is not created. */
    EmulatedDatabase createDatabase(
            String name, DatabaseDialect dialect, List<String> ddl, ByteString protoDescriptors) {
        instance(name.substring(0, Math.max(0, name.indexOf("/databases/"))));
        if (databases.containsKey(name)) {
            throw Errors.alreadyExists("Database already exists: %s", name);
        }
        EmulatedDatabase database = new EmulatedDatabase(name, dialect, time, settings, seed);
        try {
            database.applyDdl(ddl, protoDescriptors);
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
        if (databases.putIfAbsent(name, database) != null) {
            database.close();
            throw Errors.alreadyExists("Database already exists: %s", name);
        }
        return database;
    }

    /** Returns the database of this name; NOT_FOUND if it does not exist. */
    EmulatedDatabase database(String name) {
        EmulatedDatabase database = databases.get(name);
        if (database == null) {
            throw Errors.databaseNotFound(name);
        }
        return database;
    }

    List<EmulatedDatabase> databasesOf(String instance) {
        return databases.values().stream()
                .filter(database -> database.name().startsWith(instance + "/databases/"))
                .toList();
    }

    void dropDatabase(String name) {
        EmulatedDatabase dropped = databases.remove(name);
        if (dropped != null) {
            dropped.close();
        }
    }

    @Override
    public void close() {
        databases.keySet().forEach(this::dropDatabase);
    }
}

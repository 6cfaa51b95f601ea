package dev.spream.flink;

import dev.spream.storage.spanner.SpannerConnection;
import java.io.Serializable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a connection, which is opened on each machine.
 *
 * @param credentialsFile the path on each machine; null for the application default credentials
 */
record SpannerSettings(
        @Nullable String emulatorHost,
        @Nullable String databaseRole,
        @Nullable String endpoint,
        @Nullable String credentialsFile,
        @Nullable String directedReads)
        implements Serializable {
    static final SpannerSettings DEFAULTS = new SpannerSettings(null, null, null, null, null);

    SpannerSettings withEmulatorHost(String host) {
        return new SpannerSettings(host, databaseRole, endpoint, credentialsFile, directedReads);
    }

    SpannerSettings withDatabaseRole(String role) {
        return new SpannerSettings(emulatorHost, role, endpoint, credentialsFile, directedReads);
    }

    SpannerSettings withEndpoint(String server) {
        return new SpannerSettings(emulatorHost, databaseRole, server, credentialsFile, directedReads);
    }

    SpannerSettings withCredentialsFile(String file) {
        return new SpannerSettings(emulatorHost, databaseRole, endpoint, file, directedReads);
    }

    SpannerSettings withDirectedReads(String replicas) {
        return new SpannerSettings(emulatorHost, databaseRole, endpoint, credentialsFile, replicas);
    }

    /** Sets the settings of the connection, and returns it. */
    SpannerConnection.Builder applyTo(SpannerConnection.Builder connection) {
        if (emulatorHost != null) {
            connection.emulatorHost(emulatorHost);
        }
        if (databaseRole != null) {
            connection.databaseRole(databaseRole);
        }
        if (endpoint != null) {
            connection.endpoint(endpoint);
        }
        if (credentialsFile != null) {
            connection.credentialsFile(Path.of(credentialsFile));
        }
        if (directedReads != null) {
            connection.directedReads(directedReads);
        }
        return connection;
    }
}

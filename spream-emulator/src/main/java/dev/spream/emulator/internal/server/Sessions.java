package dev.spream.emulator.internal.server;

import com.google.spanner.v1.Session;
import dev.spream.emulator.internal.database.AccessControl;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Errors;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sessions of all databases. A session is only a name of its database; transactions belong to the database, so that
 * one session has any number of them at a time, multiplexed or not.
 */
final class Sessions {
    private final DatabaseCatalog catalog;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();

    Sessions(DatabaseCatalog catalog) {
        this.catalog = catalog;
    }

    Session create(String database, Session template) {
        EmulatedDatabase found = catalog.database(database);
        found.access(template.getCreatorRole());
        Session session = template.toBuilder()
                .setName(found.name() + "/sessions/" + UUID.randomUUID())
                .setCreateTime(WireTimestamps.timestamp(found.now()))
                .setApproximateLastUseTime(WireTimestamps.timestamp(found.now()))
                .build();
        sessions.put(session.getName(), session);
        return session;
    }

    Session get(String name) {
        Session session = sessions.get(name);
        if (session == null) {
            throw Errors.sessionNotFound(name);
        }
        return session;
    }

    List<Session> of(String database) {
        String prefix = catalog.database(database).name() + "/sessions/";
        return sessions.values().stream()
                .filter(session -> session.getName().startsWith(prefix))
                .toList();
    }

    void delete(String name) {
        sessions.remove(name);
    }

    EmulatedDatabase databaseOf(String session) {
        String name = get(session).getName();
        return catalog.database(name.substring(0, name.indexOf("/sessions/")));
    }

    /** Returns the present privileges of the role of the session. */
    AccessControl accessOf(String session) {
        return databaseOf(session).access(get(session).getCreatorRole());
    }

    boolean isMultiplexed(String session) {
        return get(session).getMultiplexed();
    }
}

package dev.spream.spring;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The places in which the subscriptions of an application are stored. Two in one place would take each other's
 * partitions, so that each gets a part of the changes. Places are compared as they are configured, without a connection.
 * Confined to one thread.
 */
final class StoredPlaces {
    private static final String SUBSCRIPTION = "subscription";
    private static final String STORAGE = "storage";
    private static final String URL = "storage.jdbc.url";
    private static final String SCHEMA = "storage.jdbc.schema";
    private static final String DEFAULT_SCHEMA = "spream";
    private static final String TABLE = "storage.spanner.table";
    private static final String DATA_SOURCE = "the data source of the application";
    private static final Pattern SERVER =
            Pattern.compile("(jdbc:\\w+://[^/?]*)([^?]*)(?:\\?.*)?", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern DEFAULT_PORT = Pattern.compile(":5432(?=,|$)");

    private final boolean withDataSource;
    private final Map<Place, String> subscriptions = new HashMap<>();

    /** @param withDataSource whether a bean of the application can be the database of {@code storage=jdbc} */
    StoredPlaces(boolean withDataSource) {
        this.withDataSource = withDataSource;
    }

    /** Notes the place of a subscription; returns the problem if another one has it. */
    Optional<String> add(String name, Map<String, SubscriptionSetting> own) {
        String kind = value(own, STORAGE).orElse("");
        if (own.containsKey(TABLE) && (kind.isEmpty() || kind.equals("spanner"))) {
            return addTable(name, own, own.get(TABLE));
        }
        boolean configured = own.containsKey(URL) && (kind.isEmpty() || kind.equals("jdbc"));
        boolean inDataSource = withDataSource && kind.equals("jdbc") && !own.containsKey(URL);
        return configured || inDataSource ? addStoredName(name, own) : Optional.empty();
    }

    private Optional<String> addTable(String name, Map<String, SubscriptionSetting> own, SubscriptionSetting table) {
        String database = Stream.of("storage.spanner.database", "source.spanner.database")
                .flatMap(key -> value(own, key).stream())
                .findFirst()
                .orElse("");
        // Spanner ignores the case of names.
        return other(name, new Place("spanner", database, table.value().toLowerCase(Locale.ROOT)))
                .map(other ->
                        "%s: storage.spanner.table is '%s' (%s), the table of %s as well (Spanner ignores the case): each subscription needs a table of its own; set spream.subscriptions.%s.storage.spanner.table"
                                .formatted(name, table.value(), table.origin(), other, name));
    }

    private Optional<String> addStoredName(String name, Map<String, SubscriptionSetting> own) {
        SubscriptionSetting configured = own.get(SUBSCRIPTION);
        String stored = configured == null ? name : configured.value();
        String database = value(own, URL).map(StoredPlaces::database).orElse(DATA_SOURCE);
        String schema = value(own, SCHEMA).orElse(DEFAULT_SCHEMA);
        return other(name, new Place("jdbc", database + " " + schema, stored))
                .map(other ->
                        "%s: it is stored as '%s' (%s), as %s is, in the same schema: each would get a part of the changes; set spream.subscriptions.%s.subscription to a name of its own"
                                .formatted(
                                        name,
                                        stored,
                                        configured == null ? "its own name" : configured.origin(),
                                        other,
                                        name));
    }

    private Optional<String> other(String name, Place place) {
        return Optional.ofNullable(subscriptions.putIfAbsent(place, name));
    }

    /** Returns the URL without what names no other database: the case of the host, the default port, parameters. */
    private static String database(String url) {
        Matcher matcher = SERVER.matcher(url);
        if (!matcher.matches()) {
            return url;
        }
        String server = matcher.group(1).toLowerCase(Locale.ROOT);
        return DEFAULT_PORT.matcher(server).replaceAll("") + matcher.group(2);
    }

    private static Optional<String> value(Map<String, SubscriptionSetting> own, String key) {
        return Optional.ofNullable(own.get(key)).map(SubscriptionSetting::value);
    }

    private record Place(String storage, String database, String name) {}
}

package dev.spream.spring.jdbc;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.spring.StorageFromBean;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** The storage {@code jdbc} over a data source, for subscriptions that configure no {@code storage.jdbc.url}. */
final class DataSourceStorage implements StorageFromBean {
    private static final String JDBC = "storage.jdbc.";
    private static final String SCHEMA = JDBC + "schema";
    private static final String MIGRATE = JDBC + "migrate";
    private static final Set<String> USED = Set.of(SCHEMA, MIGRATE);

    private final DataSource dataSource;

    DataSourceStorage(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Optional<PartitionStorage> find(String subscription, Map<String, String> settings) {
        if (!"jdbc".equals(settings.get("storage")) || settings.containsKey(JDBC + "url")) {
            return Optional.empty();
        }
        List<String> unused = new ArrayList<>(settings.keySet());
        unused.removeIf(key -> !key.startsWith(JDBC) || USED.contains(key));
        if (!unused.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s configures a pool of spream's own, but without storage.jdbc.url the application's data source is used: set storage.jdbc.url, or remove it"
                            .formatted(
                                    String.join(", ", unused.stream().sorted().toList())));
        }
        JdbcPartitionStorage.Builder builder = JdbcPartitionStorage.builder(dataSource, subscription);
        Optional.ofNullable(settings.get(SCHEMA)).ifPresent(builder::schema);
        Optional.ofNullable(settings.get(MIGRATE)).map(DataSourceStorage::flag).ifPresent(builder::migrate);
        return Optional.of(LazyStorage.of(builder::build));
    }

    private static boolean flag(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(MIGRATE + ": expected true or false");
        }
        return Boolean.parseBoolean(text);
    }
}

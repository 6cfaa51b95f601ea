package dev.spream.storage.jdbc.outbox;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sink {@code outbox}: a {@link JdbcOutboxSink} over a pool of its own. The database and tables of the outbox are
 * those of {@code outbox.jdbc}, unless configured for the sink.
 */
@AutoService(ConsumerProvider.class)
public final class JdbcOutboxSinkProvider implements ConsumerProvider {
    private static final List<ConfigKey<?>> PLACE = JdbcOutboxKeys.ALL.stream()
            .<ConfigKey<?>>map(key -> key.withFallback("outbox.jdbc." + key.name()))
            .toList();
    private static final ConfigKey<RowOrder> ORDERING = ConfigKey.of(
                    "ordering",
                    ConfigType.choice(RowOrder.class),
                    "Whether the changes of a row are sent one at a time in commit order, or in any order.")
            .withDefault(RowOrder.KEY);
    private static final ConfigKey<Duration> EXPIRE_AFTER = ConfigKey.of(
                    "expire-after",
                    ConfigType.duration(Duration.ofSeconds(1), Duration.ofDays(366)),
                    "Time after its commit until which a change is sent.")
            .withDefaultMeaning("for ever");

    /** The order in which entries are sent. */
    enum RowOrder {
        /** In commit order for each table and primary key. */
        KEY,
        NONE
    }

    @Override
    public String name() {
        return "outbox";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(PLACE.stream(), Stream.<ConfigKey<?>>of(ORDERING, EXPIRE_AFTER))
                .toList();
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        HikariDataSource pool = JdbcOutboxKeys.open(config, context);
        JdbcOutboxSink sink = JdbcOutboxSink.into(JdbcOutboxKeys.build(JdbcOutbox.builder(pool), config));
        JdbcOutboxSink ordered = config.get(ORDERING) == RowOrder.KEY ? sink : sink.unordered();
        return config.find(EXPIRE_AFTER).map(ordered::expireAfter).orElse(ordered);
    }
}

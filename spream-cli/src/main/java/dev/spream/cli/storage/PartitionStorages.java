package dev.spream.cli.storage;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.cli.command.CommandFailure;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.JdbcPool;
import java.util.List;
import java.util.Map;

/** Opens the storage that a command line names. */
public final class PartitionStorages {
    private PartitionStorages() {}

    /**
     * Opens it for a reader, which may be the first: what is missing is made, in Spanner only if that was asked for.
     *
     * @param stream names the subscription where nothing else does
     */
    public static OpenStorage open(StorageChoice choice, String stream) {
        return switch (choice) {
            case StorageChoice.Memory memory -> memory();
            case StorageChoice.Shared shared -> open(shared, shared.settings(), stream);
        };
    }

    /** Opens it for a command that looks at what readers stored, and makes nothing. */
    public static OpenStorage openExisting(StorageChoice choice) {
        return switch (choice) {
            case StorageChoice.Memory memory -> memory();
            case StorageChoice.Jdbc jdbc -> {
                StorageChoice.Jdbc named = jdbc.subscription().isPresent() ? jdbc : jdbc.named(onlySubscription(jdbc));
                yield open(named, named.settingsOfOperator(), "");
            }
            case StorageChoice.Spanner spanner -> open(spanner, spanner.settings(), "");
        };
    }

    /** Not by its plug-in, which warns those who did not ask for it. */
    private static OpenStorage memory() {
        return new OpenStorage(new InMemoryPartitionStorage(), "memory", () -> {});
    }

    private static OpenStorage open(StorageChoice.Shared choice, Map<String, String> settings, String stream) {
        OpenPlugin<PartitionStorage> plugin = FlagPlugins.open(
                PartitionStorageProvider.class,
                choice.plugin(),
                settings,
                choice.subscription().orElse(stream));
        return new OpenStorage(plugin.product(), choice.toString(), plugin::close);
    }

    private static String onlySubscription(StorageChoice.Jdbc choice) {
        try (HikariDataSource pool = JdbcPool.open(choice.url(), choice.user(), choice.password())) {
            List<String> stored = JdbcPartitionStorage.subscriptions(pool, choice.schema());
            if (stored.size() != 1) {
                throw new CommandFailure("schema %s of %s has %s: name one with --subscription"
                        .formatted(
                                choice.schema(),
                                choice.url(),
                                stored.isEmpty()
                                        ? "no subscription"
                                        : "the subscriptions " + String.join(", ", stored)));
            }
            return stored.getFirst();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(String.valueOf(e.getMessage()), e);
        }
    }
}

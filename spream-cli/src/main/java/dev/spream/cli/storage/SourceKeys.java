package dev.spream.cli.storage;

import dev.spream.api.spi.ConfigKey;
import dev.spream.cli.command.UsageFailure;
import dev.spream.storage.spanner.SpannerChangeStreamSourceProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Flags that stand for keys of the source {@code spanner}, checked by the types of these keys. */
final class SourceKeys {
    private static final List<ConfigKey<?>> KEYS = new SpannerChangeStreamSourceProvider().keys();

    private SourceKeys() {}

    /**
     * Checks the value of the flag that is named like the key.
     *
     * @throws UsageFailure if the key does not accept it
     */
    static void check(String key, @Nullable Object value) {
        if (value == null) {
            return;
        }
        try {
            type(key).type().read(value.toString());
        } catch (IllegalArgumentException e) {
            throw new UsageFailure("--%s '%s': %s".formatted(key, value, e.getMessage()));
        }
    }

    private static ConfigKey<?> type(String key) {
        return KEYS.stream()
                .filter(known -> known.name().equals(key))
                .findFirst()
                .orElseThrow();
    }
}

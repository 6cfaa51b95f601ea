package dev.spream.format.schema;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows each schema in the log once, for receivers without a registry. Safe for use by many threads. */
public final class SchemaLog {
    private static final Logger log = LoggerFactory.getLogger(SchemaLog.class);
    private static final int MAX_SHOWN = 1_000;

    private final String subscription;
    private final Map<String, Boolean> shown = new ConcurrentHashMap<>();

    public SchemaLog(String subscription) {
        this.subscription = requireNonNull(subscription, "subscription");
    }

    /**
     * Shows a schema, unless it was shown before.
     *
     * @param name what receivers know the schema by
     */
    public void show(String name, String schema) {
        if (!shown.containsKey(schema) && shown.size() < MAX_SHOWN && shown.put(schema, true) == null) {
            log.info("[{}] messages with {} have the schema {}", subscription, name, schema);
        }
    }
}

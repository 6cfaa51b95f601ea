package dev.spream.interop.debezium;

import io.debezium.connector.spanner.SpannerConnector;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.connect.storage.MemoryOffsetBackingStore;

/** The settings of the connector, from arguments {@code name=value} of a program. */
final class ConnectorSettings {
    private ConnectorSettings() {}

    static Map<String, String> arguments(String[] args) {
        return Arrays.stream(args)
                .map(arg -> arg.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    }

    /** Returns the settings for the stream that the arguments name. */
    static Properties of(Map<String, String> arguments, String broker) {
        Properties settings = new Properties();
        settings.put("name", "debezium");
        settings.put("connector.class", SpannerConnector.class.getName());
        settings.put("topic.prefix", "debezium");
        settings.put("offset.storage", MemoryOffsetBackingStore.class.getName());
        settings.put("connector.spanner.sync.kafka.bootstrap.servers", broker);
        settings.put("gcp.spanner.emulator.host", "http://" + arguments.get("host"));
        settings.put("gcp.spanner.project.id", arguments.get("project"));
        settings.put("gcp.spanner.instance.id", arguments.get("instance"));
        settings.put("gcp.spanner.database.id", arguments.get("database"));
        settings.put("gcp.spanner.change.stream", arguments.get("stream"));
        settings.put("gcp.spanner.start.time", arguments.get("start"));
        settings.put("tasks.min", "1");
        settings.put("tasks.max", "1");
        // A partition ends, and its children begin, when its offsets have been committed: at once and not each minute.
        settings.put("offset.flush.interval.ms", "0");
        settings.put("poll.interval.ms", "1");
        return settings;
    }
}

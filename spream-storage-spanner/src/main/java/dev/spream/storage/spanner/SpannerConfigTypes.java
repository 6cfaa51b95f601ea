package dev.spream.storage.spanner;

import dev.spream.api.spi.ConfigType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The configuration types of this module's values. */
final class SpannerConfigTypes {
    private static final String DATABASE_LABEL = "projects/<project>/instances/<instance>/databases/<database>";
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^/\\s]+:(?<port>\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    private SpannerConfigTypes() {}

    static ConfigType<DatabaseName> database() {
        return new ConfigType<>(DATABASE_LABEL, DatabaseName::parse, DatabaseName::toString);
    }

    static ConfigType<String> stream() {
        return new ConfigType<>("name of a change stream", text -> new StreamName(text).value(), name -> name);
    }

    static ConfigType<String> readFunction() {
        return new ConfigType<>("name of a function", text -> new ReadFunctionName(text).value(), name -> name);
    }

    static ConfigType<String> table() {
        return new ConfigType<>("name of a table", MetadataTables::requireValid, name -> name);
    }

    /** Returns a type for a server without a scheme, as in {@code SPANNER_EMULATOR_HOST}. */
    static ConfigType<String> hostAndPort() {
        return new ConfigType<>("host:port", SpannerConfigTypes::requireHostAndPort, host -> host);
    }

    private static String requireHostAndPort(String text) {
        Matcher matcher = HOST_AND_PORT.matcher(text);
        int port = matcher.matches() ? Integer.parseInt(matcher.group("port")) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("expected host:port, such as localhost:9010");
        }
        return text;
    }
}

package dev.spream.storage.spanner;

import dev.spream.api.spi.ConfigType;

/** The configuration types of this module's values. */
final class SpannerConfigTypes {
    private static final String DATABASE_LABEL = "projects/<project>/instances/<instance>/databases/<database>";

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
}

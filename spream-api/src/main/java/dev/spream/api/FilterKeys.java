package dev.spream.api;

import dev.spream.api.filter.ChangeFilter;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.record.ModType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** The keys that begin with {@code filter}: the changes, and the columns of them, that are delivered to the sink. */
final class FilterKeys {
    private static final ConfigKey<List<String>> TABLES = ConfigKey.of(
                    "tables",
                    names(ChangeFilter.Builder::tables),
                    "Tables whose changes are delivered to the sink; * matches any characters, as in Order*.")
            .withDefaultMeaning("all");
    private static final ConfigKey<List<String>> COLUMNS = ConfigKey.of(
                    "columns",
                    names(ChangeFilter.Builder::columns),
                    "Columns delivered to the sink, as Table.Column, besides the primary key; all columns of a"
                            + " table without one here. An update that touches none of them is not delivered. Dead letters"
                            + " keep all columns.")
            .withDefaultMeaning("all");
    private static final ConfigKey<List<ModType>> MOD_TYPES = ConfigKey.of(
                    "mod-types",
                    new ConfigType<>(
                            "list of insert, update and delete", FilterKeys::readModTypes, FilterKeys::writeModTypes),
                    "Kinds of change that are delivered to the sink.")
            .withDefaultMeaning("all");

    private FilterKeys() {}

    static List<ConfigKey<?>> all() {
        return List.of(TABLES, COLUMNS, MOD_TYPES);
    }

    /**
     * @throws IllegalArgumentException if names contradict each other; the message quotes no name, since names may come
     *     from secrets
     */
    static ChangeFilter filter(PluginConfig config) {
        try {
            return ChangeFilter.builder()
                    .tables(config.find(TABLES).orElse(List.of()))
                    .columns(config.find(COLUMNS).orElse(List.of()))
                    .modTypes(config.find(MOD_TYPES).orElse(List.of()))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "filter.columns has a column of a table that filter.tables excludes: add the table there"
                            + " too, or remove the column",
                    e);
        }
    }

    /** Returns the type of a list of names. The filter itself reports invalid names. */
    private static ConfigType<List<String>> names(
            BiFunction<ChangeFilter.Builder, List<String>, ChangeFilter.Builder> choice) {
        ConfigType<List<String>> list = ConfigType.list();
        return new ConfigType<>(
                list.label(),
                text -> {
                    List<String> names = list.read(text);
                    choice.apply(ChangeFilter.builder(), names).build();
                    return names;
                },
                list.writer());
    }

    private static List<ModType> readModTypes(String text) {
        return ConfigType.list().read(text).stream().map(FilterKeys::modType).toList();
    }

    private static ModType modType(String name) {
        return Arrays.stream(ModType.values())
                .filter(type -> type != ModType.UNKNOWN && text(type).equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("expected insert, update or delete, separated by commas"));
    }

    private static String writeModTypes(List<ModType> types) {
        return types.stream().map(FilterKeys::text).collect(Collectors.joining(","));
    }

    private static String text(ModType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }
}

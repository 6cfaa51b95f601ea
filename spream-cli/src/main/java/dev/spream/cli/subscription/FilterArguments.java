package dev.spream.cli.subscription;

import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.api.filter.ChangeFilter;
import dev.spream.core.record.ModType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The flags of the filter, with the words of the configuration's keys that begin with {@code filter}. */
final class FilterArguments {
    static final List<String> NAMES = List.of("--tables", "--columns", "--mod-types");

    @Option(
            names = "--tables",
            paramLabel = "NAMES",
            split = ",",
            description = "Tables whose changes are delivered; * matches any characters, as in Order*. Default: all.")
    private List<String> tables = List.of();

    @Option(
            names = "--columns",
            paramLabel = "NAMES",
            split = ",",
            description =
                    "Columns delivered, as Table.Column, besides the primary key; all columns of a table without one"
                            + " here. An update that touches none of them is not delivered. Default: all.")
    private List<String> columns = List.of();

    @Option(
            names = "--mod-types",
            paramLabel = "TYPES",
            split = ",",
            description = "Kinds of change that are delivered: insert, update, delete. Default: all.")
    private List<String> modTypes = List.of();

    /** Returns the filter; a flag that is invalid is a usage failure. */
    ChangeFilter filter() {
        List<ModType> types = required(
                "--mod-types: ",
                () -> modTypes.stream().map(FilterArguments::modType).toList());
        required(
                "--tables: ",
                () -> ChangeFilter.builder().tables(stripped(tables)).build());
        return required(
                "--columns: ",
                () -> ChangeFilter.builder()
                        .tables(stripped(tables))
                        .columns(stripped(columns))
                        .modTypes(types)
                        .build());
    }

    /** Returns the given flags as keys of the configuration. */
    Map<String, String> keys() {
        filter();
        Map<String, String> keys = new LinkedHashMap<>();
        put(keys, "filter.tables", tables);
        put(keys, "filter.columns", columns);
        put(
                keys,
                "filter.mod-types",
                modTypes.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList());
        return keys;
    }

    private static void put(Map<String, String> keys, String key, List<String> values) {
        if (!values.isEmpty()) {
            keys.put(key, String.join(",", stripped(values)));
        }
    }

    private static List<String> stripped(List<String> values) {
        return values.stream().map(String::strip).toList();
    }

    private static ModType modType(String name) {
        return Arrays.stream(ModType.values())
                .filter(type -> type != ModType.UNKNOWN && type.name().equalsIgnoreCase(name.strip()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'%s' is none of %s"
                        .formatted(
                                name,
                                Arrays.stream(ModType.values())
                                        .filter(type -> type != ModType.UNKNOWN)
                                        .map(type -> type.name().toLowerCase(Locale.ROOT))
                                        .collect(Collectors.joining(", ")))));
    }
}

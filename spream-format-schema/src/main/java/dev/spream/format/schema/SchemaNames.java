package dev.spream.format.schema;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names of tables and columns as names in schemas, which have letters of ASCII, digits and underscores. */
public final class SchemaNames {
    private static final Pattern OTHER = Pattern.compile("[^A-Za-z0-9_]");
    private static final Pattern FIRST = Pattern.compile("[A-Za-z_]");

    private SchemaNames() {}

    /** Returns the name, with other characters as {@code _x} and their number; such names are rare. */
    public static String valid(String name) {
        String valid = OTHER.matcher(name)
                .replaceAll(found -> Matcher.quoteReplacement(
                        String.format(Locale.ROOT, "_x%04x", found.group().codePointAt(0))));
        return FIRST.matcher(valid).lookingAt() ? valid : "_" + valid;
    }

    /** Returns a name that none of the others is. */
    public static String distinct(String name, Set<String> others) {
        String distinct = valid(name);
        while (others.contains(distinct)) {
            distinct += "_";
        }
        return distinct;
    }

    /** Returns the name of a table, its schema as the namespace. */
    public static String fullName(String table) {
        return Arrays.stream(table.split("\\.", -1)).map(SchemaNames::valid).collect(Collectors.joining("."));
    }
}

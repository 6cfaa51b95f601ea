package dev.spream.storage.jdbc.outbox.dialect;

import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words in which kinds of database differ, for statements that they share. A statement has a table as {@code
 * @outbox}, {@code @ledger}, {@code @segments}, {@code @workers}, {@code @audit} or {@code @history}, and these words:
 *
 * <ul>
 *   <li>{@code @now}: the time of the server's clock;
 *   <li>{@code @never}: the time at which parked entries are due, after all others;
 *   <li>{@code @lock}: locks the rows of a query against other writers;
 *   <li>{@code @hold}: locks the rows of a query against their removal;
 *   <li>{@code @latest}: makes a query in a transaction of any isolation see what has been committed;
 *   <li>{@code @json}: follows a parameter that is a JSON text.
 * </ul>
 */
public enum SqlWords {
    POSTGRESQL(
            '"',
            Map.of(
                    "now",
                    "clock_timestamp()",
                    "never",
                    "'infinity'",
                    "lock",
                    "FOR NO KEY UPDATE",
                    "hold",
                    "FOR KEY SHARE",
                    "latest",
                    "",
                    "json",
                    "::json")),
    MYSQL(
            '`',
            Map.of(
                    "now",
                    "UTC_TIMESTAMP(6)",
                    "never",
                    "'9999-12-31 23:59:59.999999'",
                    "lock",
                    "FOR UPDATE",
                    "hold",
                    "FOR UPDATE",
                    "latest",
                    "LOCK IN SHARE MODE",
                    "json",
                    ""));

    private static final Pattern PLACE =
            Pattern.compile("@(outbox|ledger|segments|workers|audit|history|now|never|lock|hold|latest|json)\\b");

    private final char quote;

    @SuppressWarnings("ImmutableEnumChecker") // made by Map.of
    private final Map<String, String> words;

    SqlWords(char quote, Map<String, String> words) {
        this.quote = quote;
        this.words = words;
    }

    /** Returns the statement for this kind of database. */
    public String in(OutboxTables tables, String sql) {
        return PLACE.matcher(sql).replaceAll(place -> Matcher.quoteReplacement(word(tables, place)));
    }

    private String word(OutboxTables tables, MatchResult place) {
        String word = place.group(1);
        String same = words.get(word);
        return same == null ? quoted(tables.schema()) + "." + quoted(tables.table(word)) : same;
    }

    private String quoted(String name) {
        String mark = String.valueOf(quote);
        return mark + name.replace(mark, mark + mark) + mark;
    }
}

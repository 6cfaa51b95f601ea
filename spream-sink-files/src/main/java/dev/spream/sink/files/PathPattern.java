package dev.spream.sink.files;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folders of the files, such as {@code dt={date}/hour={hour}}, by the commit timestamps of the changes in them, in UTC, and
 * their tables. Immutable.
 */
record PathPattern(String text) {
    static final String FORM = "folders, of letters, digits, . _ = - and {date}, {hour}, {table}";
    private static final Pattern VALID = Pattern.compile("(?:[A-Za-z0-9._=-]|\\{(?:date|hour|table)})+");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(date|hour|table)}");
    private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");
    private static final DateTimeFormatter DATE = utc("uuuu-MM-dd");
    private static final DateTimeFormatter HOUR = utc("HH");

    PathPattern {
        for (String folder : text.split("/", -1)) {
            if (!VALID.matcher(folder).matches() || folder.equals(".") || folder.equals("..")) {
                throw new IllegalArgumentException("expected " + FORM);
            }
        }
        if (text.contains("{hour}") && !text.contains("{date}")) {
            throw new IllegalArgumentException("expected {date} beside {hour}");
        }
    }

    private static DateTimeFormatter utc(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    /**
     * Divides changes by their folder and the kind of their file; the changes of each stay in order. An earlier period comes
     * before a later one, so that the changes of each key are in order over all.
     */
    List<Folder> divide(List<PendingChange> changes) {
        Map<Group, List<PendingChange>> groups = new TreeMap<>(Group.ORDER);
        changes.forEach(change -> groups.computeIfAbsent(groupOf(change), group -> new ArrayList<>())
                .add(change));
        return groups.entrySet().stream()
                .map(group -> new Folder(folder(group.getKey()), group.getValue()))
                .toList();
    }

    /** Changes of one kind, for one folder. */
    record Folder(String path, List<PendingChange> changes) {}

    private record Group(Instant period, String table, String kind) {
        static final Comparator<Group> ORDER =
                Comparator.comparing(Group::period).thenComparing(Group::table).thenComparing(Group::kind);
    }

    private Group groupOf(PendingChange change) {
        Instant period = text.contains("{hour}")
                ? change.at().truncatedTo(ChronoUnit.HOURS)
                : text.contains("{date}") ? change.at().truncatedTo(ChronoUnit.DAYS) : Instant.EPOCH;
        return new Group(
                period,
                text.contains("{table}") ? change.table() : "",
                change.encoded().kind());
    }

    private String folder(Group group) {
        Function<String, String> values = name -> switch (name) {
            case "date" -> DATE.format(group.period());
            case "hour" -> HOUR.format(group.period());
            default -> safe(group.table());
        };
        return PLACEHOLDER.matcher(text).replaceAll(found -> Matcher.quoteReplacement(values.apply(found.group(1))));
    }

    /** Returns a table's name for a folder; other characters, such as those of other alphabets, as = and their bytes. */
    private static String safe(String table) {
        return UNSAFE.matcher(table).replaceAll(found -> {
            StringBuilder bytes = new StringBuilder();
            for (byte each : found.group().getBytes(StandardCharsets.UTF_8)) {
                bytes.append(String.format(Locale.ROOT, "=%02X", each));
            }
            return Matcher.quoteReplacement(bytes.toString());
        });
    }
}

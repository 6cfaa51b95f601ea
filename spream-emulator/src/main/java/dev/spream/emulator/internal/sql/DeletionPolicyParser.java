package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses row deletion policies, which are TTL in PostgreSQL. Part of a {@link DdlParser}. */
record DeletionPolicyParser(TokenCursor cursor, DatabaseDialect dialect) {
    private static final Pattern INTERVAL_PART =
            Pattern.compile("(?i)([+-]?)\\s*(\\d{1,8})\\s*(minute|hour|day|week)s?\\b\\s*");

    DeletionPolicy parse() {
        return dialect == DatabaseDialect.POSTGRESQL ? timeToLive() : rowDeletionPolicy();
    }

    private DeletionPolicy rowDeletionPolicy() {
        cursor.expectWords("ROW", "DELETION", "POLICY");
        cursor.expectSymbol("(");
        cursor.expectWords("OLDER_THAN");
        cursor.expectSymbol("(");
        String column = cursor.expectName();
        cursor.expectSymbol(",");
        cursor.expectWords("INTERVAL");
        if (!cursor.peek().text().matches("\\d{1,8}")) {
            throw cursor.syntaxError("Expected a number of days");
        }
        int days = Integer.parseInt(cursor.next().text());
        cursor.expectWords("DAY");
        cursor.expectSymbol(")");
        cursor.expectSymbol(")");
        String declared = "ROW DELETION POLICY (OLDER_THAN(%s, INTERVAL %d DAY))".formatted(column, days);
        return new DeletionPolicy(column, days, declared);
    }

    private DeletionPolicy timeToLive() {
        cursor.expectWords("TTL", "INTERVAL");
        String interval = cursor.next().text();
        cursor.expectWords("ON");
        String column = cursor.expectName();
        return new DeletionPolicy(column, days(interval), "TTL INTERVAL '%s' ON %s".formatted(interval, column));
    }

    private int days(String interval) {
        Matcher part = INTERVAL_PART.matcher(interval.strip());
        Duration sum = Duration.ZERO;
        int end = 0;
        while (part.lookingAt()) {
            Duration length = unit(part.group(3)).multipliedBy(Integer.parseInt(part.group(2)));
            sum = part.group(1).equals("-") ? sum.minus(length) : sum.plus(length);
            end = part.end();
            part.region(end, part.regionEnd());
        }
        boolean wholeDays = sum.equals(Duration.ofDays(sum.toDays())) && !sum.isNegative();
        if (end == 0 || end < interval.strip().length() || !wholeDays) {
            throw DdlParser.unsupported("The TTL interval '" + interval + "', which is not a whole number of days, is");
        }
        return Math.toIntExact(sum.toDays());
    }

    private static Duration unit(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "minute" -> Duration.ofMinutes(1);
            case "hour" -> Duration.ofHours(1);
            case "day" -> Duration.ofDays(1);
            default -> Duration.ofDays(7);
        };
    }
}

package dev.spream.storage.spanner.source;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a {@code retention_period} option: a number and a unit of days, hours, minutes or seconds, such as {@code 7d}
 * or {@code 36h}.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#create-change-stream">
 *     Spanner: CREATE CHANGE STREAM</a>
 */
final class RetentionPeriod {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})\\s*([smhd])");

    private RetentionPeriod() {}

    /** Returns the period; empty if the text has another form, or no time. */
    static Optional<Duration> parse(String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            return Optional.empty();
        }
        String prefix = form.group(2).equals("d") ? "P" : "PT";
        Duration period = Duration.parse(prefix + form.group(1) + form.group(2));
        return Optional.of(period).filter(Duration::isPositive);
    }
}

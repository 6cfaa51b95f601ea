package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.RowChange.Kind;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.sql.Token;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The options of a stream, as declared and checked.
 *
 * @param declared the options that were given, in lower case, with their text
 */
public record StreamOptions(Map<String, String> declared) {
    private static final String RETENTION = "retention_period";
    private static final String VALUE_CAPTURE = "value_capture_type";
    private static final String PARTITION_MODE = "partition_mode";
    private static final Set<String> FLAGS = Set.of(
            "exclude_ttl_deletes",
            "exclude_insert",
            "exclude_update",
            "exclude_delete",
            "allow_txn_exclusion",
            "per_placement_tvf");
    private static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    private static final Duration MIN_RETENTION = Duration.ofDays(1);
    private static final Duration MAX_RETENTION = Duration.ofDays(30);
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})([smhd])");

    public StreamOptions {
        declared = Collections.unmodifiableMap(new LinkedHashMap<>(declared));
    }

    static StreamOptions none() {
        return new StreamOptions(Map.of());
    }

    /** Returns these options overridden by others; one that is given without a value is reset to its default. */
    StreamOptions with(Map<String, Optional<Token>> changes) {
        Map<String, String> merged = new LinkedHashMap<>(declared);
        changes.forEach((name, value) -> {
            check(name, value);
            value.ifPresentOrElse(token -> merged.put(name, token.text()), () -> merged.remove(name));
        });
        return new StreamOptions(merged);
    }

    StreamOptions capturing(String valueCaptureType) {
        Map<String, String> changed = new LinkedHashMap<>(declared);
        changed.put(VALUE_CAPTURE, valueCaptureType);
        return new StreamOptions(changed);
    }

    private static void check(String name, Optional<Token> value) {
        switch (name) {
            case RETENTION -> value.ifPresent(StreamOptions::checkRetention);
            case VALUE_CAPTURE -> value.ifPresent(StreamOptions::checkValueCapture);
            case PARTITION_MODE -> value.ifPresent(StreamOptions::checkPartitionMode);
            default -> checkFlag(name, value);
        }
    }

    private static void checkRetention(Token value) {
        requireString(RETENTION, value);
        Duration retention = duration(value.text())
                .orElseThrow(() -> Errors.failedPrecondition("Invalid time duration format: " + value.text() + "."));
        if (retention.compareTo(MIN_RETENTION) < 0 || retention.compareTo(MAX_RETENTION) > 0) {
            throw Errors.failedPrecondition("Invalid retention_period: " + value.text()
                    + ". Change Streams retention period must be a value in the range [24h, 30d].");
        }
    }

    private static void checkValueCapture(Token value) {
        requireString(VALUE_CAPTURE, value);
        if (Arrays.stream(ValueCapture.values()).noneMatch(type -> type.name().equals(value.text()))) {
            throw Errors.failedPrecondition("Invalid value_capture_type: " + value.text()
                    + ". Change Streams only support value capture types in OLD_AND_NEW_VALUES, NEW_ROW, NEW_VALUES, and"
                    + " NEW_ROW_AND_OLD_VALUES.");
        }
    }

    private static void checkPartitionMode(Token value) {
        requireString(PARTITION_MODE, value);
        if (Arrays.stream(PartitionMode.values()).noneMatch(mode -> mode.name().equals(value.text()))) {
            throw Errors.failedPrecondition("Invalid partition_mode: " + value.text()
                    + ". Change Streams only support partition modes in IMMUTABLE_KEY_RANGE and MUTABLE_KEY_RANGE.");
        }
    }

    private static void checkFlag(String name, Optional<Token> value) {
        if (!FLAGS.contains(name)) {
            throw Errors.invalidArgument("Option: " + name + " is unknown.");
        }
        if (value.isPresent() && !value.get().isWord("true") && !value.get().isWord("false")) {
            throw unexpected(name, value.get(), "true, false or NULL");
        }
    }

    private static void requireString(String name, Token value) {
        if (value.kind() != Token.Kind.STRING) {
            throw unexpected(name, value, "a string or NULL");
        }
    }

    private static StatusRuntimeException unexpected(String name, Token value, String expected) {
        return Errors.invalidArgument(
                "Unexpected value for option: " + name + ". Expected " + expected + ", got " + value.text() + ".");
    }

    private static Optional<Duration> duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String prefix = matcher.group(2).equals("d") ? "P" : "PT";
        return Optional.of(Duration.parse(prefix + text));
    }

    Duration retention() {
        return Optional.ofNullable(declared.get(RETENTION))
                .flatMap(StreamOptions::duration)
                .orElse(DEFAULT_RETENTION);
    }

    ValueCapture valueCapture() {
        return Optional.ofNullable(declared.get(VALUE_CAPTURE))
                .map(ValueCapture::valueOf)
                .orElse(ValueCapture.OLD_AND_NEW_VALUES);
    }

    PartitionMode partitionMode() {
        return Optional.ofNullable(declared.get(PARTITION_MODE))
                .map(PartitionMode::valueOf)
                .orElse(PartitionMode.IMMUTABLE_KEY_RANGE);
    }

    boolean excludes(Kind kind) {
        return flag("exclude_" + kind.name().toLowerCase(Locale.ROOT));
    }

    boolean excludesTtlDeletes() {
        return flag("exclude_ttl_deletes");
    }

    boolean allowsTransactionExclusion() {
        return flag("allow_txn_exclusion");
    }

    boolean hasFunctionPerPlacement() {
        return flag("per_placement_tvf");
    }

    /** Returns whether the option's text is written without quotes. */
    static boolean isFlag(String name) {
        return FLAGS.contains(name);
    }

    private boolean flag(String name) {
        return Boolean.parseBoolean(declared.get(name));
    }
}

package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.SequenceOptions.SkippedRange;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Parses the options of sequences and identity columns. Part of a {@link DdlParser}. */
record SequenceParser(TokenCursor cursor, boolean postgres) {
    private static final String KIND = "bit_reversed_positive";

    /** Parses what follows the name of a new sequence. */
    SequenceOptions created() {
        return !postgres && cursor.acceptWords("OPTIONS") ? options() : clauses();
    }

    /** Parses clauses up to something else. */
    SequenceOptions clauses() {
        boolean kind = false;
        OptionalLong start = OptionalLong.empty();
        Optional<SkippedRange> skipped = Optional.empty();
        while (true) {
            if (cursor.acceptWords(KIND)) {
                kind = true;
            } else if (cursor.acceptWords("SKIP", "RANGE")) {
                skipped = Optional.of(range());
            } else if (cursor.acceptWords("START", "COUNTER", "WITH")) {
                start = OptionalLong.of(cursor.integer());
            } else if (!cursor.acceptWords("NO", "SKIP", "RANGE")) {
                return new SequenceOptions(true, kind, start, skipped);
            }
        }
    }

    private SkippedRange range() {
        long min = cursor.integer();
        cursor.acceptSymbol(",");
        return range(min, cursor.integer());
    }

    private static SkippedRange range(long min, long max) {
        if (min > max) {
            throw Errors.failedPrecondition("`skip_range_min` must be less than or equal to `skip_range_max`");
        }
        return new SkippedRange(min, max);
    }

    SequenceChange change() {
        if (cursor.acceptWords("SET", "OPTIONS")) {
            SequenceOptions set = options();
            return new SequenceChange(false, set.start(), set.skipped().isEmpty(), set.skipped());
        }
        cursor.acceptWords("SET");
        if (cursor.acceptWords("NO", "SKIP", "RANGE")) {
            return new SequenceChange(true, OptionalLong.empty(), false, Optional.empty());
        }
        if (cursor.acceptWords("SKIP", "RANGE")) {
            return new SequenceChange(true, OptionalLong.empty(), false, Optional.of(range()));
        }
        cursor.expectWords("RESTART", "COUNTER", "WITH");
        return new SequenceChange(true, OptionalLong.of(cursor.integer()), true, Optional.empty());
    }

    private SequenceOptions options() {
        boolean kind = false;
        OptionalLong start = OptionalLong.empty();
        OptionalLong min = OptionalLong.empty();
        OptionalLong max = OptionalLong.empty();
        cursor.expectSymbol("(");
        do {
            Token option = cursor.next();
            cursor.expectSymbol("=");
            switch (option.text().toLowerCase(Locale.ROOT)) {
                case "sequence_kind" -> kind = kind(cursor.next());
                case "start_with_counter" -> start = counter();
                case "skip_range_min" -> min = counter();
                case "skip_range_max" -> max = counter();
                default -> throw Errors.invalidArgument("Option: %s is unknown.", option.text());
            }
        } while (cursor.acceptSymbol(","));
        cursor.expectSymbol(")");
        if (min.isPresent() != max.isPresent()) {
            throw Errors.failedPrecondition("`skip_range_min` and `skip_range_max` have to be set together");
        }
        Optional<SkippedRange> skipped =
                min.isPresent() ? Optional.of(range(min.getAsLong(), max.getAsLong())) : Optional.empty();
        return new SequenceOptions(false, kind, start, skipped);
    }

    private OptionalLong counter() {
        return cursor.acceptWords("NULL") ? OptionalLong.empty() : OptionalLong.of(cursor.integer());
    }

    static boolean kind(Token kind) {
        if (!kind.text().equalsIgnoreCase(KIND)) {
            throw Errors.invalidArgument("Unsupported sequence kind: %s", kind.text());
        }
        return true;
    }
}

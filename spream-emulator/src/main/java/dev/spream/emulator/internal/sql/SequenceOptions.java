package dev.spream.emulator.internal.sql;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The options of a sequence, or of an identity column, as declared.
 *
 * @param asClauses whether they are declared by clauses, otherwise by {@code OPTIONS}
 * @param kindDeclared whether the kind is declared, which can only be bit-reversed positive
 * @param start the first counter
 * @param skipped values that are never generated
 */
public record SequenceOptions(
        boolean asClauses, boolean kindDeclared, OptionalLong start, Optional<SkippedRange> skipped) {

    /** Values that a sequence leaves out, both ends included. */
    public record SkippedRange(long min, long max) {}

    public SequenceOptions with(SequenceChange change) {
        return new SequenceOptions(
                asClauses,
                kindDeclared,
                change.start().isPresent() ? change.start() : start,
                change.keepsSkipped() ? skipped : change.skipped());
    }

    /** Returns the options by name, as the information schema has them. */
    public Map<String, String> byName() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("sequence_kind", "bit_reversed_positive");
        skipped.ifPresent(range -> {
            options.put("skip_range_max", Long.toString(range.max()));
            options.put("skip_range_min", Long.toString(range.min()));
        });
        start.ifPresent(counter -> options.put("start_with_counter", Long.toString(counter)));
        return options;
    }

    /** Returns the clauses that declare the options. */
    public String clauses(boolean postgres) {
        List<String> clauses = new ArrayList<>();
        if (kindDeclared) {
            clauses.add("BIT_REVERSED_POSITIVE");
        }
        skipped.ifPresent(range -> clauses.add("SKIP RANGE " + range.min() + (postgres ? " " : ", ") + range.max()));
        start.ifPresent(counter -> clauses.add("START COUNTER WITH " + counter));
        return String.join(" ", clauses);
    }

    /** Returns what follows the name of the sequence in the statement that creates it. */
    public String ddl(boolean postgres) {
        if (postgres) {
            return " BIT_REVERSED_POSITIVE START COUNTER WITH " + start.orElse(1)
                    + skipped.map(range -> " SKIP RANGE " + range.min() + " " + range.max())
                            .orElse("");
        }
        if (asClauses) {
            String clauses = clauses(false);
            return clauses.isEmpty() ? "" : " " + clauses;
        }
        List<String> declared = new ArrayList<>();
        declared.add("sequence_kind = 'bit_reversed_positive'");
        start.ifPresent(counter -> declared.add("start_with_counter = " + counter));
        skipped.ifPresent(range -> {
            declared.add("skip_range_min = " + range.min());
            declared.add("skip_range_max = " + range.max());
        });
        return " OPTIONS (\n  " + String.join(",\n  ", declared) + ")";
    }
}

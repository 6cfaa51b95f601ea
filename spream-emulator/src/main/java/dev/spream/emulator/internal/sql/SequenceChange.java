package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.SequenceOptions.SkippedRange;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A change of a sequence.
 *
 * @param asClauses whether it is written in clauses, otherwise in {@code OPTIONS}
 * @param start the counter with which it begins anew; empty to continue
 * @param keepsSkipped whether the skipped range stays, otherwise it is replaced by {@code skipped}
 */
public record SequenceChange(
        boolean asClauses, OptionalLong start, boolean keepsSkipped, Optional<SkippedRange> skipped) {}

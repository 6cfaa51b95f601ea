package dev.spream.storage.spanner;

import java.time.Instant;
import java.util.Optional;

/**
 * A table that {@link BeamExport} wrote, with the options of a pipeline that starts from it.
 *
 * @param name for {@code withMetadataTable}
 * @param partitions number of partitions that Beam continues
 * @param startAt for {@code withInclusiveStartAt}: the earliest watermark
 * @param endAt for {@code withInclusiveEndAt}; empty for a pipeline that has none
 */
public record BeamTable(String name, int partitions, Instant startAt, Optional<Instant> endAt) {}

package dev.spream.servers.rows;

import org.jspecify.annotations.Nullable;

/**
 * A value of a column, or NULL.
 *
 * @param sent the value as Spanner encodes it
 * @param read what it stands for: a Boolean, Long, Double, Float, BigDecimal, LocalDate, ByteBuffer, a List of these, or for
 *     all other types a String
 */
public record RandomValue(@Nullable Object sent, @Nullable Object read) {}

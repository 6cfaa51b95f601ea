/**
 * The formats of changed rows as bytes, for every sink that sends bytes: the documentation's record, the row after the
 * change, Debezium's envelope and CloudEvents; others are plug-ins, {@link dev.spream.api.spi.Format}. Read {@link dev.spream.api.format.ChangeFormat} first. A sink adds the
 * keys of {@link dev.spream.api.format.ConfiguredFormat} to its own, and so has all formats. This package depends on the core and
 * the SPI alone.
 */
@NullMarked
package dev.spream.api.format;

import org.jspecify.annotations.NullMarked;

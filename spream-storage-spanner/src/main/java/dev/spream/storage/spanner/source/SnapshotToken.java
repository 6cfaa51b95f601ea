package dev.spream.storage.spanner.source;

import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The token of a partition of a snapshot. It has everything that its query needs, so that the stored partitions are the
 * snapshot's progress.
 *
 * @param kind what the partition returns
 * @param added whether it is of a snapshot that was added to the subscription, which continues nothing
 * @param at the time of the snapshot
 * @param rows the number of rows of a chunk
 * @param after the key before the first row, as {@link KeyText}
 * @param table the table, with its schema unless it is the default one
 * @param row the number of rows of the table before the first row
 */
record SnapshotToken(Kind kind, boolean added, Instant at, long rows, String after, String table, long row) {
    private static final String PREFIX = PartitionToken.SNAPSHOT.value() + ":";
    private static final String TABLES = PREFIX + "tables:";
    private static final Pattern FORM = Pattern.compile(
            PREFIX + "(?<added>added:)?(?<kind>chunk|keys):(?<seconds>\\d+)\\.(?<nanos>\\d+):(?<rows>\\d+):(?<after>.*)"
                    + ":(?<table>[^:]+):(?<row>\\d+)",
            Pattern.DOTALL);

    /**
     * The name of the partition that continues the snapshot: the initial query of the stream. Claims of equal age follow
     * the order of tokens: chunks are read before further keys, which bounds the number of stored chunks.
     */
    static final PartitionToken STREAM = new PartitionToken(PREFIX + "stream");

    enum Kind {
        /** Rows, as changes. */
        CHUNK,
        /** Partitions of the following rows, found by their keys. */
        KEYS;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the token of the first query, of all tables. */
    static PartitionToken tables(long chunkRows) {
        return new PartitionToken(TABLES + chunkRows);
    }

    /**
     * Returns the number of rows of a chunk if the token is that of the first query; one without a number has the
     * default one, whatever is configured.
     */
    static OptionalLong chunkRows(PartitionToken token, long defaultRows) {
        if (token.equals(PartitionToken.SNAPSHOT)) {
            return OptionalLong.of(defaultRows);
        }
        return token.value().startsWith(TABLES)
                ? OptionalLong.of(Long.parseLong(token.value().substring(TABLES.length())))
                : OptionalLong.empty();
    }

    /** Returns the token of the keys of a table, from its first row. */
    static SnapshotToken table(boolean added, String table, Instant at, long chunkRows) {
        return new SnapshotToken(Kind.KEYS, added, at, chunkRows, KeyText.NONE, table, 0);
    }

    SnapshotToken chunk(long chunkRows, String afterKey, long firstRow) {
        return new SnapshotToken(Kind.CHUNK, added, at, chunkRows, afterKey, table, firstRow);
    }

    SnapshotToken keysAfter(String lastKey, long firstRow) {
        return new SnapshotToken(Kind.KEYS, added, at, rows, lastKey, table, firstRow);
    }

    /** Returns the text; its end, which messages show, has the table and the row. */
    String text() {
        return (added ? PartitionToken.ADDED_SNAPSHOT : PREFIX) + kind.text() + ":" + at.getEpochSecond() + "."
                + at.getNano() + ":" + rows + ":" + after + ":" + table + ":" + row;
    }

    /** @throws IllegalArgumentException if the text is not such a token */
    static SnapshotToken of(PartitionToken token) {
        Matcher parts = FORM.matcher(token.value());
        if (!parts.matches()) {
            throw new IllegalArgumentException("%s is not a token of a snapshot".formatted(token));
        }
        return new SnapshotToken(
                Kind.valueOf(parts.group("kind").toUpperCase(Locale.ROOT)),
                parts.group("added") != null,
                Instant.ofEpochSecond(Long.parseLong(parts.group("seconds")), Long.parseLong(parts.group("nanos"))),
                Long.parseLong(parts.group("rows")),
                parts.group("after"),
                parts.group("table"),
                Long.parseLong(parts.group("row")));
    }
}

package dev.spream.storage.spanner;

/**
 * The outcome of {@link SpannerPartitionTables#create}.
 *
 * @param outcome what it found, and made of it
 * @param adopted how many partitions of another reader were adopted; 0 unless some were
 */
public record MetadataSetup(Outcome outcome, int adopted) {

    /** The result of the set-up. */
    public enum Outcome {
        /** There was no table; now there are all. */
        CREATED,
        /** There was a table of Apache Beam or of the Go spream with partitions, which are ours now. */
        ADOPTED,
        /** The table was there, and its partitions, if any, are ours. */
        READY
    }
}

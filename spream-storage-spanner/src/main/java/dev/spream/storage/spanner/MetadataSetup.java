package dev.spream.storage.spanner;

/**
 * The outcome of {@link SpannerPartitionTables#create}.
 *
 * @param outcome the result of the set-up
 * @param adopted the number of partitions of another reader that were adopted
 */
public record MetadataSetup(Outcome outcome, int adopted) {

    /** The result of the set-up. */
    public enum Outcome {
        /** There was no table; all were created. */
        CREATED,
        /** There was a table of Apache Beam or of the Go spream with partitions, which were adopted. */
        ADOPTED,
        /** The table already existed, with or without partitions of this subscription. */
        READY
    }
}

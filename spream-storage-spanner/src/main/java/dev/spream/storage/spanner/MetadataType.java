package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;

/** The types of metadata columns, in both dialects. */
enum MetadataType {
    TEXT("STRING(MAX)", "text"),
    TEXTS("ARRAY<STRING(MAX)>", "text[]"),
    NUMBER("INT64", "bigint"),
    TRUTH("BOOL", "boolean"),
    TIMESTAMP("TIMESTAMP", "timestamptz"),
    TIMESTAMPS("ARRAY<TIMESTAMP>", "timestamptz[]"),
    COMMIT_TIMESTAMP("TIMESTAMP", "spanner.commit_timestamp");

    private final String google;
    private final String postgres;

    MetadataType(String google, String postgres) {
        this.google = google;
        this.postgres = postgres;
    }

    String declaration(MetadataTables tables, String column, boolean required) {
        boolean isGoogle = tables.dialect() == Dialect.GOOGLE_STANDARD_SQL;
        String option = isGoogle && this == COMMIT_TIMESTAMP ? " OPTIONS (allow_commit_timestamp=true)" : "";
        return tables.quoted(column) + " " + (isGoogle ? google : postgres) + (required ? " NOT NULL" : "") + option;
    }
}

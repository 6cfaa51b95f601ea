package dev.spream.cli;

import java.util.Locale;

/** Where partitions are remembered, under the names that users know. */
enum StorageName {
    MEMORY,
    JDBC,
    SPANNER;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

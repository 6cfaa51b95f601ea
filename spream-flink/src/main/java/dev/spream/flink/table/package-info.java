/**
 * The Table connector {@code spanner-change-stream}: a watched table as a table of Flink SQL, with the kinds of its
 * changes. Read {@link dev.spream.flink.table.ChangeStreamTableFactory} first. It uses the source as any job does, and
 * Flink's Table API, which a job without SQL need not have.
 */
@NullMarked
package dev.spream.flink.table;

import org.jspecify.annotations.NullMarked;

/**
 * The sink {@code jdbc}: the tables that a change stream watches, mirrored into PostgreSQL, each change once. Read
 * {@link dev.spream.storage.jdbc.mirror.JdbcMirror} first. A batch is folded into one change for each row ({@code
 * FoldedRows}), values are converted to the type of the target column ({@code ValueText}), and a few statements for
 * each table write them ({@code RowStatements}). The applied ledger ensures that each change takes effect once.
 */
@NullMarked
package dev.spream.storage.jdbc.mirror;

import org.jspecify.annotations.NullMarked;

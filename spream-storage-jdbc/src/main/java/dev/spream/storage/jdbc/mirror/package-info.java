/**
 * The sink {@code jdbc}: the tables that a change stream watches, mirrored into PostgreSQL, each change once. Read {@link
 * dev.spream.storage.jdbc.mirror.JdbcMirror} first. A batch is folded into what becomes of each row ({@code FoldedRows}),
 * values are written as the column that receives them reads them ({@code ValueText}), and a few statements a table do the
 * rest ({@code RowStatements}). What takes effect once is up to the applied ledger beside.
 */
@NullMarked
package dev.spream.storage.jdbc.mirror;

import org.jspecify.annotations.NullMarked;

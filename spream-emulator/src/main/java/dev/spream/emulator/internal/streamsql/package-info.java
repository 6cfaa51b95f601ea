/**
 * The SQL of change streams: the statements that create, alter and drop them ({@link StreamStatementParser}), and the
 * queries that read them ({@link ChangeStreamQueryParser}). It depends on {@code internal.sql} alone.
 */
@NullMarked
package dev.spream.emulator.internal.streamsql;

import org.jspecify.annotations.NullMarked;

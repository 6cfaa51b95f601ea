/**
 * The two SQL dialects of Spanner as far as the emulator supports them: DDL is parsed into {@link
 * dev.spream.emulator.internal.sql.DdlStatement}s, queries and DML are rewritten token by token into the SQL of the
 * embedded engine, and values are converted between Spanner's wire encoding and the engine's. Read {@link
 * dev.spream.emulator.internal.sql.SqlTranslator} first. Does not depend on databases, transactions or gRPC services.
 */
@NullMarked
package dev.spream.emulator.internal.sql;

import org.jspecify.annotations.NullMarked;

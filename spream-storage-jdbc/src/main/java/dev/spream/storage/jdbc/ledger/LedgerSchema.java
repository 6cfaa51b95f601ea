package dev.spream.storage.jdbc.ledger;

import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import dev.spream.storage.jdbc.internal.SchemaName;
import javax.sql.DataSource;

/** The tables of applied ledgers. */
final class LedgerSchema {
    private static final MigratedTables TABLES = new MigratedTables(
            "the applied ledger",
            "dev/spream/storage/jdbc/ledger",
            "applied_ledger_history",
            1,
            "migrate(true), in a configuration sink.jdbc.migrate=true");

    private LedgerSchema() {}

    static SchemaMigration in(DataSource dataSource, SchemaName schema) {
        return new SchemaMigration(dataSource, schema, TABLES);
    }
}

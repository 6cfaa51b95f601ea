package dev.spream.emulator.internal.sql;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A parsed DDL statement. Names are as written, without quotes. */
public sealed interface DdlStatement {

    /**
     * A column as declared.
     *
     * @param inPrimaryKey whether the column itself is declared PRIMARY KEY
     */
    record ColumnDef(
            String name, Types.Declared type, boolean notNull, boolean allowsCommitTimestamp, boolean inPrimaryKey) {}

    record KeyPart(String column, boolean descending) {}

    record Parent(String table, boolean enforced, boolean deleteCascades) {}

    record CreateTable(
            String name,
            boolean ifNotExists,
            List<ColumnDef> columns,
            List<KeyPart> primaryKey,
            Optional<Parent> parent,
            String rowDeletionPolicy)
            implements DdlStatement {}

    record DropTable(String name, boolean ifExists) implements DdlStatement {}

    record AddColumn(String table, ColumnDef column, boolean ifNotExists) implements DdlStatement {}

    record DropColumn(String table, String column) implements DdlStatement {}

    /** Changes the properties that are not null. */
    record AlterColumn(
            String table,
            String column,
            Types.@Nullable Declared type,
            @Nullable Boolean notNull,
            @Nullable Boolean allowsCommitTimestamp)
            implements DdlStatement {}

    record CreateIndex(
            String name,
            String table,
            boolean unique,
            boolean nullFiltered,
            boolean ifNotExists,
            List<KeyPart> parts,
            List<String> storing)
            implements DdlStatement {}

    record DropIndex(String name, boolean ifExists) implements DdlStatement {}

    /** The policy is stored as text and never runs; empty drops it. */
    record RowDeletionPolicy(String table, String policy) implements DdlStatement {}

    /** A statement that is accepted without effect, such as ANALYZE. */
    record Accepted() implements DdlStatement {}
}

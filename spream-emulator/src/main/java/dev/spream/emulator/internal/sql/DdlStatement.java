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

    /**
     * A row deletion policy: a row expires when its timestamp is older than a number of days.
     *
     * @param column the column with the timestamp
     * @param declared the clause, in the form that DDL shows
     */
    record DeletionPolicy(String column, int days, String declared) {}

    record CreateTable(
            String name,
            boolean ifNotExists,
            List<ColumnDef> columns,
            List<KeyPart> primaryKey,
            Optional<Parent> parent,
            Optional<DeletionPolicy> deletionPolicy)
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

    /** Gives a table, which must not have one yet, a row deletion policy. */
    record AddDeletionPolicy(String table, DeletionPolicy policy) implements DdlStatement {}

    /** Replaces the row deletion policy that the table must have; empty drops it. */
    record ReplaceDeletionPolicy(String table, Optional<DeletionPolicy> policy) implements DdlStatement {}

    record CreateProtoBundle(List<String> names) implements DdlStatement {}

    record AlterProtoBundle(List<String> inserted, List<String> updated, List<String> deleted)
            implements DdlStatement {}

    record DropProtoBundle() implements DdlStatement {}

    /** A statement that is accepted without effect, such as ANALYZE. */
    record Accepted() implements DdlStatement {}
}

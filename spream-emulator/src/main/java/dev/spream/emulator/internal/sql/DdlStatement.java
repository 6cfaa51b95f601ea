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
     * @param source what gives it a value where a statement does not; empty for NULL
     */
    record ColumnDef(
            String name,
            Types.Declared type,
            boolean notNull,
            boolean allowsCommitTimestamp,
            boolean inPrimaryKey,
            Optional<ColumnSource> source) {

        public boolean isGenerated() {
            return source.filter(GeneratedColumn.class::isInstance).isPresent();
        }

        ColumnDef asNotNull() {
            return new ColumnDef(name, type, true, allowsCommitTimestamp, inPrimaryKey, source);
        }

        public ColumnDef with(Optional<ColumnSource> other) {
            return new ColumnDef(name, type, notNull, allowsCommitTimestamp, inPrimaryKey, other);
        }
    }

    /** The source of a value that a statement does not give. */
    sealed interface ColumnSource {}

    /**
     * The default of a column.
     *
     * @param expression as written
     */
    record DefaultValue(String expression) implements ColumnSource {}

    /**
     * The expression of a generated column.
     *
     * @param expression as written
     * @param stored false for one that is computed when it is read; the emulator stores it all the same
     */
    record GeneratedColumn(String expression, boolean stored) implements ColumnSource {}

    record IdentityColumn(SequenceOptions options) implements ColumnSource {}

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
            List<Constraint> constraints,
            Optional<Parent> parent,
            Optional<DeletionPolicy> deletionPolicy)
            implements DdlStatement {

        public CreateTable withColumns(List<ColumnDef> other) {
            return new CreateTable(name, false, other, primaryKey, constraints, parent, deletionPolicy);
        }

        public CreateTable with(Optional<DeletionPolicy> policy) {
            return new CreateTable(name, false, columns, primaryKey, constraints, parent, policy);
        }

        public CreateTable withConstraints(List<Constraint> other) {
            return new CreateTable(name, false, columns, primaryKey, other, parent, deletionPolicy);
        }
    }

    record DropTable(String name, boolean ifExists) implements DdlStatement {}

    record AddColumn(String table, ColumnDef column, boolean ifNotExists) implements DdlStatement {}

    record DropColumn(String table, String column) implements DdlStatement {}

    /** A constraint; its name is empty until it gets one, unless it was declared with a name. */
    sealed interface Constraint {
        String name();

        boolean isNamed();

        Constraint named(String generated);
    }

    /**
     * A check of each row.
     *
     * @param expression as written
     */
    record CheckConstraint(String name, boolean isNamed, String expression) implements Constraint {
        @Override
        public CheckConstraint named(String generated) {
            return new CheckConstraint(generated, isNamed, expression);
        }
    }

    record ForeignKey(
            String name,
            boolean isNamed,
            List<String> columns,
            String referencedTable,
            List<String> referencedColumns,
            boolean deleteCascades,
            boolean enforced)
            implements Constraint {
        @Override
        public ForeignKey named(String generated) {
            return new ForeignKey(
                    generated, isNamed, columns, referencedTable, referencedColumns, deleteCascades, enforced);
        }
    }

    record AddConstraint(String table, Constraint constraint) implements DdlStatement {}

    record DropConstraint(String table, String name) implements DdlStatement {}

    /** Changes the properties that are not null; an empty source drops the column's. */
    @SuppressWarnings("NullableOptional") // null keeps the source, empty drops it
    record AlterColumn(
            String table,
            String column,
            Types.@Nullable Declared type,
            @Nullable Boolean notNull,
            @Nullable Boolean allowsCommitTimestamp,
            @Nullable Optional<ColumnSource> source)
            implements DdlStatement {}

    /** Changes the sequence of an identity column. */
    record AlterIdentity(String table, String column, SequenceChange change) implements DdlStatement {}

    record CreateSequence(String name, boolean ifNotExists, SequenceOptions options) implements DdlStatement {}

    record AlterSequence(String name, boolean ifExists, SequenceChange change) implements DdlStatement {}

    record DropSequence(String name, boolean ifExists) implements DdlStatement {}

    /**
     * Creates a view.
     *
     * @param definer whether it is read with the rights of the role that created it
     * @param query as written
     */
    record CreateView(String name, boolean replaces, boolean ifNotExists, boolean definer, String query)
            implements DdlStatement {}

    record DropView(String name, boolean ifExists) implements DdlStatement {}

    record CreateRole(String name) implements DdlStatement {}

    record DropRole(String name) implements DdlStatement {}

    record Grant(List<Privilege> privileges, List<String> roles) implements DdlStatement {}

    record Revoke(List<Privilege> privileges, List<String> roles) implements DdlStatement {}

    record CreateSchema(String name, boolean ifNotExists) implements DdlStatement {}

    record DropSchema(String name, boolean ifExists) implements DdlStatement {}

    /** Determines whether sequences and identity columns may leave out their kind. */
    record SetDefaultSequenceKind(String database, boolean bitReversedPositive) implements DdlStatement {}

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

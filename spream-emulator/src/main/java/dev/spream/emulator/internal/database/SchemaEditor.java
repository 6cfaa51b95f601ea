package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;
import static dev.spream.emulator.internal.sql.SqlTranslator.quotedList;
import static java.util.Objects.requireNonNullElse;

import com.google.protobuf.ByteString;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.DdlStatement;
import dev.spream.emulator.internal.sql.DdlStatement.AddColumn;
import dev.spream.emulator.internal.sql.DdlStatement.AddDeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.AlterColumn;
import dev.spream.emulator.internal.sql.DdlStatement.AlterProtoBundle;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.CreateProtoBundle;
import dev.spream.emulator.internal.sql.DdlStatement.CreateTable;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.DropColumn;
import dev.spream.emulator.internal.sql.DdlStatement.DropIndex;
import dev.spream.emulator.internal.sql.DdlStatement.DropProtoBundle;
import dev.spream.emulator.internal.sql.DdlStatement.DropTable;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.DdlStatement.ReplaceDeletionPolicy;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.ProtoBundle;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.stream.ChangeStreams;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.api.ErrorCode;

/** Applies one parsed DDL statement to the engine and returns the resulting schema. Used by one thread at a time. */
record SchemaEditor(Engine engine, ChangeStreams streams) {
    /** @param protoDescriptors what the request sent for statements about the proto bundle */
    Schema apply(DdlStatement statement, Schema schema, ByteString protoDescriptors) {
        try {
            return switch (statement) {
                case CreateTable create -> createTable(create, schema);
                case DropTable drop -> dropTable(drop, schema);
                case AddColumn add -> addColumn(add, schema);
                case DropColumn drop -> dropColumn(drop, schema);
                case AlterColumn alter -> alterColumn(alter, schema);
                case CreateIndex create -> createIndex(create, schema);
                case DropIndex drop -> dropIndex(drop, schema);
                case AddDeletionPolicy add -> addDeletionPolicy(add, schema);
                case ReplaceDeletionPolicy replace -> replaceDeletionPolicy(replace, schema);
                case CreateProtoBundle create -> createBundle(create, schema, protoDescriptors);
                case AlterProtoBundle alter -> alterBundle(alter, schema, protoDescriptors);
                case DropProtoBundle ignored -> withBundle(schema, ProtoBundle.EMPTY);
                case DdlStatement.Accepted ignored -> schema;
            };
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    private Schema createTable(CreateTable create, Schema schema) throws SQLException {
        if (isTaken(create.name(), schema)) {
            if (create.ifNotExists() && schema.findTable(create.name()).isPresent()) {
                return schema;
            }
            throw duplicateName(create.name());
        }
        StoredTable table = StoredTable.of(create);
        create.parent().ifPresent(parent -> schema.table(parent.table()));
        DeletionPolicies.check(table, schema.with(table));
        String columns = create.columns().stream().map(SchemaEditor::column).collect(Collectors.joining(", "));
        engine.administer("CREATE TABLE %s (%s, %s%s)"
                .formatted(table.quotedName(), columns, keyConstraint(table), parentConstraint(table, schema)));
        capture(table);
        return schema.with(table);
    }

    private void capture(StoredTable table) throws SQLException {
        engine.administer("CREATE TRIGGER %s AFTER INSERT, UPDATE, DELETE ON %s FOR EACH ROW CALL '%s'"
                .formatted(captureTrigger(table), table.quotedName(), RowCapture.class.getName()));
    }

    private static String captureTrigger(StoredTable table) {
        return quoted("CAPTURE_" + table.name());
    }

    /**
     * Alters a table and creates its trigger again: the engine alters a table by copying it, and the trigger would keep
     * the copy's temporary name.
     */
    private void alter(StoredTable table, String change) throws SQLException {
        engine.administer("DROP TRIGGER " + captureTrigger(table));
        try {
            engine.administer("ALTER TABLE %s %s".formatted(table.quotedName(), change));
        } finally {
            capture(table);
        }
    }

    private static boolean isTaken(String name, Schema schema) {
        return schema.findTable(name).isPresent() || schema.findIndex(name).isPresent();
    }

    private static RuntimeException duplicateName(String name) {
        return Errors.failedPrecondition("Duplicate name in schema: %s.", name);
    }

    private static String column(ColumnDef column) {
        return "%s %s%s"
                .formatted(quoted(column.name()), engineType(column.type()), column.notNull() ? " NOT NULL" : "");
    }

    private static String engineType(Types.Declared declared) {
        Type type = declared.type();
        boolean sized =
                declared.maxLength() > 0 && (type.getCode() == TypeCode.STRING || type.getCode() == TypeCode.BYTES);
        return Types.engineType(type) + (sized ? "(" + declared.maxLength() + ")" : "");
    }

    private static String keyConstraint(StoredTable table) {
        if (table.hasOneRow()) {
            return SqlTranslator.ONLY_ROW + " BOOLEAN INVISIBLE DEFAULT TRUE NOT NULL PRIMARY KEY";
        }
        String columns = quotedList(table.table().primaryKey());
        return (table.hasNullableKey() ? "UNIQUE NULLS NOT DISTINCT (" : "PRIMARY KEY (") + columns + ")";
    }

    /** Returns the constraint by which an interleaved row requires its parent's row: a foreign key of the engine. */
    private static String parentConstraint(StoredTable table, Schema schema) {
        if (table.enforcedParent().isEmpty()) {
            return "";
        }
        Parent parent = table.enforcedParent().get();
        List<String> parentKey = schema.table(parent.table()).table().primaryKey();
        List<String> key = table.table().primaryKey();
        if (parentKey.isEmpty()) {
            throw Errors.unimplemented(
                    "table %s is interleaved in %s, which has no key columns; this emulator does not support that",
                    table.name(), parent.table());
        }
        if (key.size() < parentKey.size()) {
            throw Errors.failedPrecondition(
                    "Interleaved table %s must have the primary key of its parent %s as the start of its own",
                    table.name(), parent.table());
        }
        return ", FOREIGN KEY (%s) REFERENCES %s (%s) ON DELETE %s"
                .formatted(
                        quotedList(key.subList(0, parentKey.size())),
                        quoted(parent.table()),
                        quotedList(parentKey),
                        parent.deleteCascades() ? "CASCADE" : "RESTRICT");
    }

    private Schema dropTable(DropTable drop, Schema schema) throws SQLException {
        if (drop.ifExists() && schema.findTable(drop.name()).isEmpty()) {
            return schema;
        }
        StoredTable table = schema.table(drop.name());
        List<String> indexes =
                schema.indexesOf(table.name()).stream().map(CreateIndex::name).toList();
        if (!indexes.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop table %s with indices: %s.", table.name(), String.join(", ", indexes));
        }
        List<String> children = schema.tables().stream()
                .filter(other -> other.definition()
                        .parent()
                        .filter(parent -> parent.table().equalsIgnoreCase(table.name()))
                        .isPresent())
                .map(StoredTable::name)
                .toList();
        if (!children.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop table %s with interleaved tables: %s.", table.name(), String.join(", ", children));
        }
        streams.checkTableChange(table.name(), "");
        engine.administer("DROP TABLE " + table.quotedName());
        return schema.withoutTable(table.name());
    }

    private Schema addColumn(AddColumn add, Schema schema) throws SQLException {
        StoredTable table = schema.table(add.table());
        if (table.findColumn(add.column().name()).isPresent()) {
            if (add.ifNotExists()) {
                return schema;
            }
            throw Errors.failedPrecondition(
                    "Duplicate column name %s.%s.", table.name(), add.column().name());
        }
        if (add.column().notNull() && hasRows(table)) {
            throw Errors.failedPrecondition(
                    "Cannot add NOT NULL column %s.%s to existing table %s.",
                    table.name(), add.column().name(), table.name());
        }
        // images of rows have the declared columns first
        String place = table.hasOneRow() ? " BEFORE " + SqlTranslator.ONLY_ROW : "";
        alter(table, "ADD COLUMN " + column(add.column()) + place);
        List<ColumnDef> columns = new ArrayList<>(table.definition().columns());
        columns.add(add.column());
        return schema.with(table.withColumns(columns));
    }

    private boolean hasRows(StoredTable table) {
        return engine.read(connection -> {
            try (var statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT 1 FROM " + table.quotedName() + " LIMIT 1")) {
                return rows.next();
            }
        });
    }

    private Schema dropColumn(DropColumn drop, Schema schema) throws SQLException {
        StoredTable table = schema.table(drop.table());
        String column = table.column(drop.column()).name();
        if (table.isKeyColumn(column)) {
            throw Errors.failedPrecondition("Cannot drop key column %s from table %s.", column, table.name());
        }
        for (CreateIndex index : schema.indexesOf(table.name())) {
            boolean used = index.parts().stream().map(KeyPart::column).anyMatch(column::equalsIgnoreCase)
                    || index.storing().stream().anyMatch(column::equalsIgnoreCase);
            if (used) {
                throw Errors.failedPrecondition(
                        "Cannot drop column %s from table %s because it is used by index %s.",
                        column, table.name(), index.name());
            }
        }
        DeletionPolicies.checkUnused(table, column);
        streams.checkTableChange(table.name(), column);
        alter(table, "DROP COLUMN " + quoted(column));
        List<ColumnDef> columns = table.definition().columns().stream()
                .filter(definition -> !definition.name().equals(column))
                .toList();
        return schema.with(table.withColumns(columns));
    }

    private Schema alterColumn(AlterColumn alter, Schema schema) throws SQLException {
        StoredTable table = schema.table(alter.table());
        String name = table.column(alter.column()).name();
        List<ColumnDef> columns = new ArrayList<>();
        for (ColumnDef old : table.definition().columns()) {
            columns.add(old.name().equals(name) ? changed(table, old, alter) : old);
        }
        return schema.with(table.withColumns(columns));
    }

    private ColumnDef changed(StoredTable table, ColumnDef old, AlterColumn alter) throws SQLException {
        ColumnDef changed = new ColumnDef(
                old.name(),
                requireNonNullElse(alter.type(), old.type()),
                requireNonNullElse(alter.notNull(), old.notNull()),
                requireNonNullElse(alter.allowsCommitTimestamp(), old.allowsCommitTimestamp()),
                old.inPrimaryKey());
        if (!changed.type().type().equals(old.type().type())) {
            DeletionPolicies.checkUnused(table, old.name());
        }
        if (!changed.equals(old) && alter.allowsCommitTimestamp() == null) {
            alter(
                    table,
                    "ALTER COLUMN %s %s%s"
                            .formatted(
                                    quoted(old.name()),
                                    engineType(changed.type()),
                                    changed.notNull() ? " NOT NULL" : " NULL"));
        }
        return changed;
    }

    private static Schema addDeletionPolicy(AddDeletionPolicy add, Schema schema) {
        StoredTable table = schema.table(add.table());
        table.definition().deletionPolicy().ifPresent(policy -> {
            throw Errors.invalidArgument(
                    "Cannot create ROW DELETION POLICY because there is already one on column named %s in table %s.",
                    policy.column(), table.name());
        });
        return withDeletionPolicy(table, Optional.of(add.policy()), schema);
    }

    private static Schema replaceDeletionPolicy(ReplaceDeletionPolicy replace, Schema schema) {
        StoredTable table = schema.table(replace.table());
        if (table.definition().deletionPolicy().isEmpty()) {
            throw Errors.invalidArgument("ROW DELETION POLICY does not exist on table %s.", table.name());
        }
        return withDeletionPolicy(table, replace.policy(), schema);
    }

    private static Schema withDeletionPolicy(StoredTable table, Optional<DeletionPolicy> policy, Schema schema) {
        policy.ifPresent(added -> DeletionPolicies.checkAdded(added, table));
        StoredTable changed = table.with(policy);
        Schema result = schema.with(changed);
        DeletionPolicies.check(changed, result);
        return result;
    }

    private static Schema createBundle(CreateProtoBundle create, Schema schema, ByteString protoDescriptors) {
        if (!schema.bundle().types().isEmpty()) {
            throw Errors.failedPrecondition("The database has a proto bundle already: use ALTER PROTO BUNDLE");
        }
        return schema.with(ProtoBundle.EMPTY.with(create.names(), protoDescriptors));
    }

    private static Schema alterBundle(AlterProtoBundle alter, Schema schema, ByteString protoDescriptors) {
        ProtoBundle bundle = schema.bundle();
        alter.inserted().stream()
                .filter(bundle.types()::containsKey)
                .findFirst()
                .ifPresent(name -> {
                    throw Errors.failedPrecondition("The proto bundle has the type %s already", name);
                });
        Stream.concat(alter.updated().stream(), alter.deleted().stream())
                .filter(name -> !bundle.types().containsKey(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Errors.notFound("The proto bundle has no type %s", name);
                });
        List<String> declared = Stream.concat(alter.inserted().stream(), alter.updated().stream())
                .toList();
        return withBundle(schema, bundle.with(declared, protoDescriptors).without(alter.deleted()));
    }

    private static Schema withBundle(Schema schema, ProtoBundle bundle) {
        for (StoredTable table : schema.tables()) {
            for (ColumnDef column : table.definition().columns()) {
                Type type = column.type().type();
                Type single = type.getCode() == TypeCode.ARRAY ? type.getArrayElementType() : type;
                if (Types.isOfBundle(type) && !single.equals(bundle.types().get(single.getProtoTypeFqn()))) {
                    throw Errors.failedPrecondition(
                            "Cannot remove or change the type %s because column %s of table %s has it",
                            single.getProtoTypeFqn(), column.name(), table.name());
                }
            }
        }
        return schema.with(bundle);
    }

    private Schema createIndex(CreateIndex create, Schema schema) throws SQLException {
        if (isTaken(create.name(), schema)) {
            if (create.ifNotExists() && schema.findIndex(create.name()).isPresent()) {
                return schema;
            }
            throw duplicateName(create.name());
        }
        StoredTable table = schema.table(create.table());
        create.storing().forEach(table::column);
        String parts = create.parts().stream()
                .map(part -> quoted(table.column(part.column()).name()))
                .collect(Collectors.joining(", "));
        String unique = create.unique() ? (create.nullFiltered() ? "UNIQUE " : "UNIQUE NULLS NOT DISTINCT ") : "";
        try {
            engine.administer(
                    "CREATE %sINDEX %s ON %s (%s)".formatted(unique, quoted(create.name()), table.quotedName(), parts));
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.DUPLICATE_KEY_1) {
                throw Errors.failedPrecondition("Found uniqueness violation on index %s", create.name());
            }
            throw e;
        }
        return schema.with(create);
    }

    private Schema dropIndex(DropIndex drop, Schema schema) throws SQLException {
        if (schema.findIndex(drop.name()).isEmpty()) {
            if (drop.ifExists()) {
                return schema;
            }
            throw Errors.notFound("Index not found: %s", drop.name());
        }
        engine.administer("DROP INDEX " + quoted(drop.name()));
        return schema.withoutIndex(drop.name());
    }
}

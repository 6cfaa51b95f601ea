package dev.spream.emulator.internal.database;

import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Types;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The rules of Spanner for tables, their keys, parents and indexes that the engine does not have. */
final class SchemaRules {
    private static final Set<TypeCode> NEVER_KEYS =
            Set.of(TypeCode.JSON, TypeCode.ARRAY, TypeCode.STRUCT, TypeCode.PROTO);

    /** The types to which a column of another one in the set may be altered. */
    private static final List<Set<TypeCode>> CONVERTIBLE = List.of(
            Set.of(TypeCode.STRING, TypeCode.BYTES),
            Set.of(TypeCode.BYTES, TypeCode.PROTO),
            Set.of(TypeCode.INT64, TypeCode.ENUM));

    private SchemaRules() {}

    static void checkTable(StoredTable table) {
        Set<String> names = new HashSet<>();
        for (ColumnDef column : table.definition().columns()) {
            if (!names.add(lower(column.name()))) {
                throw Errors.failedPrecondition("Duplicate column name %s.%s.", table.name(), column.name());
            }
            if (column.allowsCommitTimestamp()) {
                checkCommitTimestamp(table, column);
            }
        }
        Set<String> keys = new HashSet<>();
        for (Column key : table.keyColumns()) {
            if (!keys.add(lower(key.name()))) {
                throw Errors.invalidArgument(
                        "Table %s references key column %s more than once.", table.name(), key.name());
            }
            if (!isKeyType(key.type())) {
                throw Errors.invalidArgument(
                        "Column %s.%s has type %s, but is part of the primary key.",
                        table.name(), key.name(), shown(key.type()));
            }
        }
    }

    private static void checkCommitTimestamp(StoredTable table, ColumnDef column) {
        if (column.type().type().getCode() != TypeCode.TIMESTAMP) {
            throw Errors.failedPrecondition(
                    "Column %s.%s has invalid allow_commit_timestamp option. Option only allowed on TIMESTAMP columns.",
                    table.name(), column.name());
        }
        if (column.source().filter(DefaultValue.class::isInstance).isPresent()) {
            throw Errors.failedPrecondition(
                    "Cannot use commit timestamp column `%s` as a column with default value.", column.name());
        }
    }

    private static boolean isKeyType(Type type) {
        return !NEVER_KEYS.contains(type.getCode()) && type.getTypeAnnotation() != TypeAnnotationCode.PG_NUMERIC;
    }

    /** Checks that the key of a table begins with its parent's. */
    static void checkParent(StoredTable table, StoredTable parent) {
        List<KeyPart> parentKey = parent.definition().primaryKey();
        for (int i = 0; i < parentKey.size(); i++) {
            Column inherited = parent.keyColumns().get(i);
            int position = table.keyColumns().stream()
                    .map(Column::name)
                    .map(SchemaRules::lower)
                    .toList()
                    .indexOf(lower(inherited.name()));
            if (position < 0) {
                throw Errors.failedPrecondition(
                        "Table %s does not reference parent key column %s.", table.name(), inherited.name());
            }
            String reference = "Table %s references parent key column %s".formatted(table.name(), inherited.name());
            if (position != i) {
                throw Errors.failedPrecondition("%s at incorrect position %d.", reference, position);
            }
            checkInherited(reference, table, table.keyColumns().get(i), parent, inherited);
            if (table.definition().primaryKey().get(i).descending()
                    != parentKey.get(i).descending()) {
                throw Errors.failedPrecondition(
                        "%s with incorrect order %s.",
                        reference, parentKey.get(i).descending() ? "DESC" : "ASC");
            }
        }
    }

    private static void checkInherited(
            String reference, StoredTable table, Column key, StoredTable parent, Column inherited) {
        Types.Declared type = table.definition(key).type();
        Types.Declared parentType = parent.definition(inherited).type();
        if (!type.type().equals(parentType.type())) {
            throw Errors.failedPrecondition(
                    "%s with incorrect type %s (should be %s).",
                    reference, shown(type.type()), shown(parentType.type()));
        }
        if (type.maxLength() != parentType.maxLength()) {
            throw Errors.failedPrecondition(
                    "%s with incorrect length %s (should be %s).", reference, length(type), length(parentType));
        }
        if (key.notNull() != inherited.notNull()) {
            throw Errors.failedPrecondition(
                    key.notNull()
                            ? "%s that is nullable, but child key is not null."
                            : "%s that is not null, but child key is nullable.",
                    reference);
        }
    }

    private static String length(Types.Declared type) {
        return type.maxLength() == 0 ? "MAX" : String.valueOf(type.maxLength());
    }

    static void checkIndex(CreateIndex index, StoredTable table) {
        Set<String> names = new HashSet<>();
        for (KeyPart part : index.parts()) {
            Column column = indexed(index, table, part.column(), names);
            if (!isKeyType(column.type())) {
                throw Errors.failedPrecondition(
                        "Cannot reference %s %s in the creation of index %s.",
                        shown(column.type()), column.name(), index.name());
            }
        }
        Set<String> keys = Set.copyOf(names);
        for (String stored : index.storing()) {
            if (table.isKeyColumn(stored)) {
                throw Errors.failedPrecondition(
                        "Index %s specifies stored column %s which is a key of table %s.",
                        index.name(), stored, table.name());
            }
            if (keys.contains(lower(stored))) {
                throw Errors.invalidArgument(
                        "Index %s specifies stored column %s already specified as primary key.", index.name(), stored);
            }
            indexed(index, table, stored, names);
        }
    }

    private static Column indexed(CreateIndex index, StoredTable table, String name, Set<String> names) {
        Column column = table.findColumn(name)
                .orElseThrow(() -> Errors.invalidArgument(
                        "Index %s specifies key column %s which does not exist in the index's base table.",
                        index.name(), name));
        if (!names.add(lower(name))) {
            throw Errors.invalidArgument("Index %s specifies key column %s twice.", index.name(), name);
        }
        return column;
    }

    /** Checks that a column may become another one, of which keys and indexes may depend. */
    static void checkAlteration(StoredTable table, ColumnDef old, ColumnDef changed, Schema schema) {
        if (!isConvertible(old.type().type(), changed.type().type())) {
            throw Errors.invalidArgument(
                    "Cannot change type of column `%s` from `%s` to `%s`",
                    old.name(),
                    shownWhole(old.type().type()),
                    shownWhole(changed.type().type()));
        }
        if (table.isKeyColumn(old.name())) {
            checkKeyAlteration(table, old, changed, schema);
        }
        if (old.notNull() != changed.notNull()) {
            schema.indexesOf(table.name()).stream()
                    .filter(index -> index.parts().stream().map(KeyPart::column).anyMatch(old.name()::equalsIgnoreCase))
                    .findFirst()
                    .ifPresent(index -> {
                        throw Errors.failedPrecondition(
                                "Changing NOT NULL constraints on column %s is not allowed because it affects index %s.",
                                old.name(), index.name());
                    });
        }
    }

    private static void checkKeyAlteration(StoredTable table, ColumnDef old, ColumnDef changed, Schema schema) {
        boolean inherited = table.enforcedParent()
                .filter(parent -> schema.table(parent.table()).isKeyColumn(old.name()))
                .isPresent();
        if (inherited) {
            throw Errors.invalidArgument("Cannot alter parent key column %s.%s.", table.name(), old.name());
        }
        boolean passedOn = schema.tables().stream()
                .flatMap(child -> child.enforcedParent().stream())
                .map(Parent::table)
                .anyMatch(table.name()::equalsIgnoreCase);
        boolean nullability = old.notNull() != changed.notNull();
        if (passedOn && (nullability || !old.type().equals(changed.type()))) {
            throw Errors.invalidArgument(
                    "Requested change to key column %s.%s could not be made.", table.name(), old.name());
        }
        if (nullability) {
            throw Errors.invalidArgument("Cannot change key column %s.%s.", table.name(), old.name());
        }
    }

    private static boolean isConvertible(Type from, Type to) {
        if (from.getCode() == TypeCode.ARRAY && to.getCode() == TypeCode.ARRAY) {
            return isConvertible(from.getArrayElementType(), to.getArrayElementType());
        }
        List<TypeCode> both = List.of(from.getCode(), to.getCode());
        return from.getCode() == to.getCode() || CONVERTIBLE.stream().anyMatch(codes -> codes.containsAll(both));
    }

    private static String shown(Type type) {
        String annotation = type.getTypeAnnotation().name();
        return annotation.startsWith("PG_")
                ? annotation.replace('_', '.')
                : type.getCode().name();
    }

    private static String shownWhole(Type type) {
        return type.getCode() == TypeCode.ARRAY ? "ARRAY<" + shown(type.getArrayElementType()) + ">" : shown(type);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}

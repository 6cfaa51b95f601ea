package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.DdlStatement.CheckConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnSource;
import dev.spream.emulator.internal.sql.DdlStatement.Constraint;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.DdlStatement.GeneratedColumn;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Parses what follows CREATE TABLE and ALTER TABLE. Part of a {@link DdlParser}. */
final class TableParser {
    /** The keywords that end a default value of PostgreSQL, which has no parentheses. */
    private static final List<String> AFTER_DEFAULT =
            List.of("NOT", "NULL", "PRIMARY", "CHECK", "CONSTRAINT", "REFERENCES", "UNIQUE", "GENERATED");

    private final TokenCursor cursor;
    private final DatabaseDialect dialect;
    private final ProtoBundle bundle;
    private final DeletionPolicyParser policies;

    TableParser(TokenCursor cursor, DatabaseDialect dialect, ProtoBundle bundle) {
        this.cursor = cursor;
        this.dialect = dialect;
        this.bundle = bundle;
        this.policies = new DeletionPolicyParser(cursor, dialect);
    }

    DdlStatement create() {
        boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
        String name = cursor.expectName();
        List<ColumnDef> columns = new ArrayList<>();
        List<KeyPart> key = new ArrayList<>();
        List<Constraint> constraints = new ArrayList<>();
        boolean keyDeclared = false;
        cursor.expectSymbol("(");
        while (!cursor.acceptSymbol(")")) {
            if (cursor.acceptWords("PRIMARY", "KEY")) {
                key.addAll(keyParts());
                keyDeclared = true;
            } else {
                if (cursor.peek(1).isSymbol("(")) {
                    refuseSynonym(cursor.peek());
                }
                Optional<Constraint> constraint = constraint();
                if (constraint.isPresent()) {
                    constraints.add(constraint.get());
                } else {
                    columns.add(column(constraints));
                }
            }
            if (!cursor.peek().isSymbol(")")) {
                cursor.expectSymbol(",");
            }
        }
        columns.stream()
                .filter(ColumnDef::inPrimaryKey)
                .map(column -> new KeyPart(column.name(), false))
                .forEach(key::add);
        if (cursor.acceptWords("PRIMARY", "KEY")) {
            key.addAll(keyParts());
            keyDeclared = true;
        }
        if (key.isEmpty()) {
            requireSingleton(name, keyDeclared);
        }
        if (columns.isEmpty()) {
            throw DdlParser.unsupported("Tables without columns are");
        }
        Optional<Parent> parent = Optional.empty();
        Optional<DeletionPolicy> policy = Optional.empty();
        while (!cursor.atEnd() && !cursor.peek().isSymbol(";")) {
            cursor.acceptSymbol(",");
            if (cursor.acceptWords("INTERLEAVE", "IN")) {
                parent = Optional.of(parent());
            } else if (cursor.peek().isWord("ROW") || cursor.peek().isWord("TTL")) {
                policy = Optional.of(policies.parse());
            } else if (cursor.acceptWords("OPTIONS")) {
                cursor.skipGroup();
            } else {
                throw cursor.syntaxError("Expected end of CREATE TABLE");
            }
        }
        return new DdlStatement.CreateTable(
                name,
                ifNotExists,
                postgres() ? withoutNullKeys(columns, key) : columns,
                key,
                constraints,
                parent,
                policy);
    }

    /** Returns the columns, those of the key NOT NULL, as PostgreSQL has them. */
    private static List<ColumnDef> withoutNullKeys(List<ColumnDef> columns, List<KeyPart> key) {
        return columns.stream()
                .map(column -> key.stream().anyMatch(part -> part.column().equals(column.name()))
                        ? column.asNotNull()
                        : column)
                .toList();
    }

    private void requireSingleton(String table, boolean keyDeclared) {
        String problem = "Primary key must be defined for table \"%s\".";
        if (dialect == DatabaseDialect.POSTGRESQL) {
            throw Errors.failedPrecondition(problem, table);
        }
        if (!keyDeclared) {
            throw Errors.invalidArgument(problem, table);
        }
    }

    private static void refuseSynonym(Token next) {
        if (next.isWord("SYNONYM")) {
            throw DdlParser.unsupported("A synonym of a table is");
        }
    }

    private Optional<Constraint> constraint() {
        boolean named = cursor.peek().isWord("CONSTRAINT") && cursor.peek(1).isName();
        Token kind = cursor.peek(named ? 2 : 0);
        boolean check = kind.isWord("CHECK") && cursor.peek(named ? 3 : 1).isSymbol("(");
        boolean foreignKey =
                kind.isWord("FOREIGN") && cursor.peek(named ? 3 : 1).isWord("KEY");
        if (!check && !foreignKey) {
            return Optional.empty();
        }
        String name = constraintName();
        if (cursor.acceptWords("CHECK")) {
            return Optional.of(new CheckConstraint(name, named, cursor.group()));
        }
        cursor.expectWords("FOREIGN", "KEY");
        return Optional.of(references(name, cursor.names()));
    }

    /** Parses the name of a constraint, empty if it has none. */
    private String constraintName() {
        return cursor.acceptWords("CONSTRAINT") ? cursor.expectName() : "";
    }

    private ForeignKey references(String name, List<String> columns) {
        cursor.expectWords("REFERENCES");
        String table = cursor.expectName();
        if (!cursor.peek().isSymbol("(")) {
            throw Errors.failedPrecondition("At least one referenced column is required in foreign key.");
        }
        List<String> referenced = cursor.names();
        boolean cascades = cursor.acceptWords("ON", "DELETE", "CASCADE");
        if (!cascades && cursor.acceptWords("ON", "DELETE")) {
            cursor.expectWords("NO", "ACTION");
        }
        boolean enforced = cursor.acceptWords("ENFORCED") || !cursor.acceptWords("NOT", "ENFORCED");
        return new ForeignKey(name, !name.isEmpty(), columns, table, referenced, cascades, enforced);
    }

    /** Parses a constraint of PostgreSQL that is declared with its column; returns whether there was one. */
    private boolean columnConstraint(String column, List<Constraint> constraints) {
        int name = cursor.peek().isWord("CONSTRAINT") ? 2 : 0;
        boolean check = cursor.peek(name).isWord("CHECK");
        if (!postgres() || !(check || cursor.peek(name).isWord("REFERENCES"))) {
            return false;
        }
        String declared = constraintName();
        if (cursor.acceptWords("CHECK")) {
            constraints.add(new CheckConstraint(declared, !declared.isEmpty(), cursor.group()));
        } else {
            constraints.add(references(declared, List.of(column)));
        }
        return true;
    }

    private ColumnDef column(List<Constraint> constraints) {
        String name = cursor.expectName();
        Types.Declared type = Types.parse(cursor, dialect, bundle);
        boolean notNull = false;
        boolean inPrimaryKey = false;
        boolean commitTimestamp = type.commitTimestamp();
        Optional<ColumnSource> source = Optional.empty();
        while (!cursor.peek().isSymbol(",") && !cursor.peek().isSymbol(")") && !cursor.atEnd()) {
            if ((postgres() || source.isEmpty()) && cursor.acceptWords("NOT", "NULL")) {
                notNull = true;
            } else if (cursor.acceptWords("PRIMARY", "KEY")) {
                inPrimaryKey = true;
            } else if (cursor.acceptWords("OPTIONS")) {
                commitTimestamp = commitTimestampOption();
            } else if (source.isEmpty() && atSource()) {
                source = Optional.of(source());
            } else if (!columnConstraint(name, constraints) && !cursor.acceptWords("NULL")) {
                for (String attribute : List.of("AUTO_INCREMENT", "HIDDEN", "ON")) {
                    if (cursor.peek().isWord(attribute)) {
                        throw DdlParser.unsupported("The attribute " + attribute + " of a column is");
                    }
                }
                throw cursor.syntaxError("Expected a column attribute");
            }
        }
        return new ColumnDef(name, type, notNull, commitTimestamp, inPrimaryKey, source);
    }

    private boolean postgres() {
        return dialect == DatabaseDialect.POSTGRESQL;
    }

    private boolean atSource() {
        Token next = cursor.peek();
        return next.isWord("DEFAULT") || next.isWord("GENERATED") || next.isWord("AS");
    }

    private ColumnSource source() {
        if (cursor.acceptWords("DEFAULT")) {
            return new DefaultValue(defaultExpression());
        }
        if (cursor.acceptWords("GENERATED", "BY", "DEFAULT", "AS", "IDENTITY")) {
            return identity();
        }
        if (cursor.acceptWords("GENERATED", "ALWAYS", "AS", "IDENTITY")) {
            throw DdlParser.unsupported("GENERATED ALWAYS AS IDENTITY is");
        }
        if (postgres()) {
            cursor.expectWords("GENERATED", "ALWAYS");
        }
        cursor.expectWords("AS");
        String expression = cursor.group();
        boolean stored = cursor.acceptWords("STORED");
        if (!stored && postgres()) {
            cursor.expectWords("VIRTUAL");
        }
        return new GeneratedColumn(expression, stored);
    }

    private String defaultExpression() {
        if (!postgres()) {
            return cursor.group();
        }
        return cursor.expression(token -> token.isSymbol(",")
                || token.isSymbol(")")
                || token.isSymbol(";")
                || AFTER_DEFAULT.stream().anyMatch(token::isWord));
    }

    private ColumnSource identity() {
        if (!cursor.acceptSymbol("(")) {
            return new IdentityColumn(new SequenceOptions(true, false, OptionalLong.empty(), Optional.empty()));
        }
        SequenceOptions options = new SequenceParser(cursor, postgres()).clauses();
        cursor.expectSymbol(")");
        return new IdentityColumn(options);
    }

    private boolean commitTimestampOption() {
        return cursor.skipGroup().replaceAll("\\s", "").equalsIgnoreCase("(allow_commit_timestamp=true)");
    }

    List<KeyPart> keyParts() {
        List<KeyPart> parts = new ArrayList<>();
        cursor.expectSymbol("(");
        while (!cursor.acceptSymbol(")")) {
            String column = cursor.expectName();
            boolean descending = !cursor.acceptWords("ASC") && cursor.acceptWords("DESC");
            if (cursor.acceptWords("NULLS")) {
                cursor.next();
            }
            parts.add(new KeyPart(column, descending));
            if (!cursor.peek().isSymbol(")")) {
                cursor.expectSymbol(",");
            }
        }
        return parts;
    }

    private Parent parent() {
        boolean enforced = cursor.acceptWords("PARENT");
        String table = cursor.expectName();
        boolean cascades = cursor.acceptWords("ON", "DELETE", "CASCADE");
        if (!cascades) {
            cursor.acceptWords("ON", "DELETE", "NO", "ACTION");
        }
        return new Parent(table, enforced, cascades);
    }

    DdlStatement alter() {
        cursor.acceptWords("IF", "EXISTS");
        String table = cursor.expectName();
        boolean timeToLive = cursor.peek(1).isWord("TTL") && cursor.peek(2).isWord("INTERVAL");
        if (cursor.peek().isWord("REPLACE") || (cursor.peek().isWord("ALTER") && timeToLive)) {
            cursor.next();
            return new DdlStatement.ReplaceDeletionPolicy(table, Optional.of(policies.parse()));
        }
        if (cursor.acceptWords("ALTER")) {
            cursor.acceptWords("COLUMN");
            return alterColumn(table, cursor.expectName());
        }
        if (cursor.acceptWords("DROP", "ROW", "DELETION", "POLICY") || cursor.acceptWords("DROP", "TTL")) {
            return new DdlStatement.ReplaceDeletionPolicy(table, Optional.empty());
        }
        if (cursor.acceptWords("DROP")) {
            if (cursor.acceptWords("CONSTRAINT")) {
                return new DdlStatement.DropConstraint(table, cursor.expectName());
            }
            cursor.acceptWords("COLUMN");
            return new DdlStatement.DropColumn(table, cursor.expectName());
        }
        if (cursor.acceptWords("ADD")) {
            return add(table);
        }
        throw DdlParser.unsupported("This form of ALTER TABLE is");
    }

    private DdlStatement add(String table) {
        if (cursor.peek().isWord("ROW") || cursor.peek().isWord("TTL")) {
            return new DdlStatement.AddDeletionPolicy(table, policies.parse());
        }
        Optional<Constraint> constraint = constraint();
        if (constraint.isPresent()) {
            return new DdlStatement.AddConstraint(table, constraint.get());
        }
        refuseSynonym(cursor.peek());
        cursor.acceptWords("COLUMN");
        boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
        List<Constraint> constraints = new ArrayList<>();
        ColumnDef column = column(constraints);
        if (!constraints.isEmpty()) {
            throw DdlParser.unsupported("A new column with a constraint, which ALTER TABLE ADD CONSTRAINT can add, is");
        }
        return new DdlStatement.AddColumn(table, column, ifNotExists);
    }

    private DdlStatement alterColumn(String table, String column) {
        if (cursor.acceptWords("SET", "OPTIONS")) {
            return new DdlStatement.AlterColumn(table, column, null, null, commitTimestampOption(), null);
        }
        if (cursor.acceptWords("SET", "NOT", "NULL")) {
            return new DdlStatement.AlterColumn(table, column, null, true, null, null);
        }
        if (cursor.acceptWords("DROP", "NOT", "NULL")) {
            return new DdlStatement.AlterColumn(table, column, null, false, null, null);
        }
        if (cursor.acceptWords("SET", "DEFAULT")) {
            Optional<ColumnSource> source = Optional.of(new DefaultValue(defaultExpression()));
            return new DdlStatement.AlterColumn(table, column, null, null, null, source);
        }
        if (cursor.acceptWords("DROP", "DEFAULT")) {
            return new DdlStatement.AlterColumn(table, column, null, null, null, Optional.empty());
        }
        boolean identity = cursor.acceptWords("ALTER", "IDENTITY")
                || (postgres()
                        && (cursor.peek().isWord("RESTART")
                                || cursor.peek(1).isWord("SKIP")
                                || cursor.peek(2).isWord("SKIP")));
        if (identity) {
            return new DdlStatement.AlterIdentity(table, column, new SequenceParser(cursor, postgres()).change());
        }
        if (cursor.peek().isWord("SET") || cursor.peek().isWord("DROP")) {
            throw DdlParser.unsupported("This form of ALTER COLUMN is");
        }
        cursor.acceptWords("TYPE");
        Types.Declared type = Types.parse(cursor, dialect, bundle);
        if (postgres()) {
            return new DdlStatement.AlterColumn(table, column, type, null, null, null);
        }
        boolean notNull = cursor.acceptWords("NOT", "NULL");
        Optional<ColumnSource> source = atSource() ? Optional.of(source()) : Optional.empty();
        return new DdlStatement.AlterColumn(table, column, type, notNull, null, source);
    }
}

package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnSource;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
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
        boolean keyDeclared = false;
        cursor.expectSymbol("(");
        while (!cursor.acceptSymbol(")")) {
            if (cursor.acceptWords("PRIMARY", "KEY")) {
                key.addAll(keyParts());
                keyDeclared = true;
            } else {
                refuseConstraint();
                columns.add(column());
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
        return new DdlStatement.CreateTable(name, ifNotExists, columns, key, parent, policy);
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

    private void refuseConstraint() {
        Token next = cursor.peek();
        boolean constraint = next.isWord("CONSTRAINT") || next.isWord("FOREIGN") || next.isWord("CHECK");
        if (constraint && (cursor.peek(1).isName() || cursor.peek(1).isSymbol("("))) {
            throw DdlParser.unsupported("Foreign keys and check constraints are");
        }
    }

    private ColumnDef column() {
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
            } else if (!cursor.acceptWords("NULL") && !cursor.acceptWords("HIDDEN")) {
                refuseConstraint();
                throw cursor.syntaxError("Expected a column attribute");
            }
        }
        boolean primaryNotNull = inPrimaryKey && postgres();
        return new ColumnDef(name, type, notNull || primaryNotNull, commitTimestamp, inPrimaryKey, source);
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
                throw DdlParser.unsupported("Foreign keys and check constraints are");
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
        refuseConstraint();
        cursor.acceptWords("COLUMN");
        boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
        return new DdlStatement.AddColumn(table, column(), ifNotExists);
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

package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Token.Kind;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the DDL of both dialects, change streams excepted. Unsupported features (foreign keys, checks, defaults,
 * generated columns, views, roles) are UNIMPLEMENTED, so that they are not mistaken for enforced.
 */
public final class DdlParser {
    private static final Pattern INTERVAL_PART =
            Pattern.compile("(?i)([+-]?)\\s*(\\d{1,8})\\s*(minute|hour|day|week)s?\\b\\s*");

    private final TokenCursor cursor;
    private final DatabaseDialect dialect;
    private final ProtoBundle bundle;

    private DdlParser(String statement, DatabaseDialect dialect, ProtoBundle bundle) {
        this.cursor = new TokenCursor(statement, dialect);
        this.dialect = dialect;
        this.bundle = bundle;
    }

    /** Parses a statement; the bundle has the column types of the database that are no types of Spanner. */
    public static DdlStatement parse(String statement, DatabaseDialect dialect, ProtoBundle bundle) {
        DdlParser parser = new DdlParser(statement, dialect, bundle);
        DdlStatement parsed = parser.statement();
        parser.cursor.expectEnd();
        return parsed;
    }

    private DdlStatement statement() {
        if (cursor.acceptWords("CREATE", "TABLE")) {
            return createTable();
        }
        if (cursor.acceptWords("ALTER", "TABLE")) {
            return alterTable();
        }
        if (cursor.acceptWords("DROP", "TABLE")) {
            boolean ifExists = cursor.acceptWords("IF", "EXISTS");
            return new DdlStatement.DropTable(cursor.expectName(), ifExists);
        }
        if (cursor.acceptWords("DROP", "INDEX")) {
            boolean ifExists = cursor.acceptWords("IF", "EXISTS");
            return new DdlStatement.DropIndex(cursor.expectName(), ifExists);
        }
        if (dialect == DatabaseDialect.GOOGLE_STANDARD_SQL
                && cursor.peek(1).isWord("PROTO")
                && cursor.peek(2).isWord("BUNDLE")) {
            return protoBundle();
        }
        if (cursor.acceptWords("ANALYZE") || cursor.acceptWords("ALTER", "DATABASE")) {
            return skipRest(new DdlStatement.Accepted());
        }
        return createIndex();
    }

    private DdlStatement protoBundle() {
        if (cursor.acceptWords("CREATE", "PROTO", "BUNDLE")) {
            return new DdlStatement.CreateProtoBundle(typeNames());
        }
        if (cursor.acceptWords("DROP", "PROTO", "BUNDLE")) {
            return new DdlStatement.DropProtoBundle();
        }
        cursor.expectWords("ALTER", "PROTO", "BUNDLE");
        List<String> inserted = cursor.acceptWords("INSERT") ? typeNames() : List.of();
        List<String> updated = cursor.acceptWords("UPDATE") ? typeNames() : List.of();
        List<String> deleted = cursor.acceptWords("DELETE") ? typeNames() : List.of();
        return new DdlStatement.AlterProtoBundle(inserted, updated, deleted);
    }

    private List<String> typeNames() {
        List<String> names = new ArrayList<>();
        cursor.expectSymbol("(");
        while (!cursor.acceptSymbol(")")) {
            names.add(Types.dottedName(cursor));
            if (!cursor.peek().isSymbol(")")) {
                cursor.expectSymbol(",");
            }
        }
        return names;
    }

    private <T> T skipRest(T result) {
        while (!cursor.atEnd()) {
            cursor.next();
        }
        return result;
    }

    private StatusRuntimeException unsupported(String what) {
        return Errors.unimplemented("%s not supported by this emulator; remove it from the schema used in tests", what);
    }

    private DdlStatement createTable() {
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
            throw unsupported("Tables without columns are");
        }
        Optional<Parent> parent = Optional.empty();
        Optional<DeletionPolicy> policy = Optional.empty();
        while (!cursor.atEnd() && !cursor.peek().isSymbol(";")) {
            cursor.acceptSymbol(",");
            if (cursor.acceptWords("INTERLEAVE", "IN")) {
                parent = Optional.of(parent());
            } else if (cursor.peek().isWord("ROW") || cursor.peek().isWord("TTL")) {
                policy = Optional.of(deletionPolicy());
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
            throw unsupported("Foreign keys and check constraints are");
        }
    }

    private ColumnDef column() {
        String name = cursor.expectName();
        Types.Declared type = Types.parse(cursor, dialect, bundle);
        boolean notNull = false;
        boolean inPrimaryKey = false;
        boolean commitTimestamp = type.commitTimestamp();
        while (!cursor.peek().isSymbol(",") && !cursor.peek().isSymbol(")") && !cursor.atEnd()) {
            if (cursor.acceptWords("NOT", "NULL")) {
                notNull = true;
            } else if (cursor.acceptWords("PRIMARY", "KEY")) {
                inPrimaryKey = true;
            } else if (cursor.acceptWords("OPTIONS")) {
                commitTimestamp = commitTimestampOption();
            } else if (cursor.peek().isWord("DEFAULT")
                    || cursor.peek().isWord("GENERATED")
                    || cursor.peek().isWord("AS")) {
                throw unsupported("Default and generated values are");
            } else if (!cursor.acceptWords("NULL") && !cursor.acceptWords("HIDDEN")) {
                refuseConstraint();
                throw cursor.syntaxError("Expected a column attribute");
            }
        }
        boolean primaryNotNull = inPrimaryKey && dialect == DatabaseDialect.POSTGRESQL;
        return new ColumnDef(name, type, notNull || primaryNotNull, commitTimestamp, inPrimaryKey);
    }

    private boolean commitTimestampOption() {
        return cursor.skipGroup().replaceAll("\\s", "").equalsIgnoreCase("(allow_commit_timestamp=true)");
    }

    private List<KeyPart> keyParts() {
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

    private DeletionPolicy deletionPolicy() {
        return dialect == DatabaseDialect.POSTGRESQL ? timeToLive() : rowDeletionPolicy();
    }

    private DeletionPolicy rowDeletionPolicy() {
        cursor.expectWords("ROW", "DELETION", "POLICY");
        cursor.expectSymbol("(");
        cursor.expectWords("OLDER_THAN");
        cursor.expectSymbol("(");
        String column = cursor.expectName();
        cursor.expectSymbol(",");
        cursor.expectWords("INTERVAL");
        if (!cursor.peek().text().matches("\\d{1,8}")) {
            throw cursor.syntaxError("Expected a number of days");
        }
        int days = Integer.parseInt(cursor.next().text());
        cursor.expectWords("DAY");
        cursor.expectSymbol(")");
        cursor.expectSymbol(")");
        String declared = "ROW DELETION POLICY (OLDER_THAN(%s, INTERVAL %d DAY))".formatted(column, days);
        return new DeletionPolicy(column, days, declared);
    }

    private DeletionPolicy timeToLive() {
        cursor.expectWords("TTL", "INTERVAL");
        String interval = cursor.next().text();
        cursor.expectWords("ON");
        String column = cursor.expectName();
        return new DeletionPolicy(column, days(interval), "TTL INTERVAL '%s' ON %s".formatted(interval, column));
    }

    private int days(String interval) {
        Matcher part = INTERVAL_PART.matcher(interval.strip());
        Duration sum = Duration.ZERO;
        int end = 0;
        while (part.lookingAt()) {
            Duration length = unit(part.group(3)).multipliedBy(Integer.parseInt(part.group(2)));
            sum = part.group(1).equals("-") ? sum.minus(length) : sum.plus(length);
            end = part.end();
            part.region(end, part.regionEnd());
        }
        boolean wholeDays = sum.equals(Duration.ofDays(sum.toDays())) && !sum.isNegative();
        if (end == 0 || end < interval.strip().length() || !wholeDays) {
            throw unsupported("The TTL interval '" + interval + "', which is not a whole number of days, is");
        }
        return Math.toIntExact(sum.toDays());
    }

    private static Duration unit(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "minute" -> Duration.ofMinutes(1);
            case "hour" -> Duration.ofHours(1);
            case "day" -> Duration.ofDays(1);
            default -> Duration.ofDays(7);
        };
    }

    private DdlStatement alterTable() {
        cursor.acceptWords("IF", "EXISTS");
        String table = cursor.expectName();
        boolean timeToLive = cursor.peek(1).isWord("TTL") && cursor.peek(2).isWord("INTERVAL");
        if (cursor.peek().isWord("REPLACE") || (cursor.peek().isWord("ALTER") && timeToLive)) {
            cursor.next();
            return new DdlStatement.ReplaceDeletionPolicy(table, Optional.of(deletionPolicy()));
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
                throw unsupported("Foreign keys and check constraints are");
            }
            cursor.acceptWords("COLUMN");
            return new DdlStatement.DropColumn(table, cursor.expectName());
        }
        if (cursor.acceptWords("ADD")) {
            return add(table);
        }
        throw unsupported("This form of ALTER TABLE is");
    }

    private DdlStatement add(String table) {
        if (cursor.peek().isWord("ROW") || cursor.peek().isWord("TTL")) {
            return new DdlStatement.AddDeletionPolicy(table, deletionPolicy());
        }
        refuseConstraint();
        cursor.acceptWords("COLUMN");
        boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
        return new DdlStatement.AddColumn(table, column(), ifNotExists);
    }

    private DdlStatement alterColumn(String table, String column) {
        if (cursor.acceptWords("SET", "OPTIONS")) {
            return new DdlStatement.AlterColumn(table, column, null, null, commitTimestampOption());
        }
        if (cursor.acceptWords("SET", "NOT", "NULL")) {
            return new DdlStatement.AlterColumn(table, column, null, true, null);
        }
        if (cursor.acceptWords("DROP", "NOT", "NULL")) {
            return new DdlStatement.AlterColumn(table, column, null, false, null);
        }
        if (cursor.peek().isWord("SET") || cursor.peek().isWord("DROP")) {
            throw unsupported("This form of ALTER COLUMN is");
        }
        cursor.acceptWords("TYPE");
        Types.Declared type = Types.parse(cursor, dialect, bundle);
        boolean notNull = cursor.acceptWords("NOT", "NULL");
        boolean keepsNull = dialect == DatabaseDialect.POSTGRESQL;
        return new DdlStatement.AlterColumn(table, column, type, keepsNull ? null : notNull, null);
    }

    private DdlStatement createIndex() {
        if (!cursor.acceptWords("CREATE")) {
            throw cursor.peek().kind() == Kind.WORD
                    ? unsupported("Statements starting with " + cursor.peek().upper() + " are")
                    : cursor.syntaxError("Expected a DDL statement");
        }
        boolean unique = cursor.acceptWords("UNIQUE");
        boolean nullFiltered = cursor.acceptWords("NULL_FILTERED");
        if (!cursor.acceptWords("INDEX")) {
            throw unsupported("CREATE " + cursor.peek().upper() + " is");
        }
        boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
        String name = cursor.expectName();
        cursor.expectWords("ON");
        String table = cursor.expectName();
        List<KeyPart> parts = keyParts();
        List<String> storing =
                cursor.acceptWords("STORING") || cursor.acceptWords("INCLUDE") ? cursor.names() : List.of();
        if (cursor.acceptWords("WHERE")) {
            nullFiltered = true;
            while (!cursor.atEnd()
                    && !cursor.peek().isSymbol(",")
                    && !cursor.peek().isSymbol(";")) {
                cursor.next();
            }
        }
        cursor.acceptSymbol(",");
        if (cursor.acceptWords("INTERLEAVE", "IN")) {
            cursor.expectName();
        }
        return new DdlStatement.CreateIndex(name, table, unique, nullFiltered, ifNotExists, parts, storing);
    }
}

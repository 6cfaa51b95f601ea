package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.Token.Kind;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the DDL of both dialects, change streams excepted. Unsupported features are UNIMPLEMENTED, so that they are not
 * mistaken for enforced.
 */
public final class DdlParser {
    private final TokenCursor cursor;
    private final DatabaseDialect dialect;
    private final TableParser tables;
    private final SequenceParser sequences;
    private final RoleParser roles;

    private DdlParser(String statement, DatabaseDialect dialect, ProtoBundle bundle) {
        this.cursor = new TokenCursor(statement, dialect);
        this.dialect = dialect;
        this.tables = new TableParser(cursor, dialect, bundle);
        this.sequences = new SequenceParser(cursor, dialect == DatabaseDialect.POSTGRESQL);
        this.roles = new RoleParser(cursor, dialect == DatabaseDialect.POSTGRESQL);
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
            return tables.create();
        }
        if (cursor.acceptWords("ALTER", "TABLE")) {
            return tables.alter();
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
        if (cursor.acceptWords("CREATE", "SEQUENCE")) {
            boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
            return new DdlStatement.CreateSequence(cursor.expectName(), ifNotExists, sequences.created());
        }
        if (cursor.acceptWords("ALTER", "SEQUENCE")) {
            boolean ifExists = cursor.acceptWords("IF", "EXISTS");
            return new DdlStatement.AlterSequence(cursor.expectName(), ifExists, sequences.change());
        }
        if (cursor.acceptWords("DROP", "SEQUENCE")) {
            boolean ifExists = cursor.acceptWords("IF", "EXISTS");
            return new DdlStatement.DropSequence(cursor.expectName(), ifExists);
        }
        if (cursor.acceptWords("CREATE", "VIEW")) {
            return createView(false);
        }
        if (cursor.acceptWords("CREATE", "OR", "REPLACE", "VIEW")) {
            return createView(true);
        }
        if (cursor.acceptWords("DROP", "VIEW")) {
            boolean ifExists = cursor.acceptWords("IF", "EXISTS");
            return new DdlStatement.DropView(cursor.expectName(), ifExists);
        }
        if (cursor.acceptWords("CREATE", "ROLE")) {
            return new DdlStatement.CreateRole(cursor.expectName());
        }
        if (cursor.acceptWords("DROP", "ROLE")) {
            return new DdlStatement.DropRole(cursor.expectName());
        }
        if (cursor.acceptWords("GRANT")) {
            return roles.grant();
        }
        if (cursor.acceptWords("REVOKE")) {
            return roles.revoke();
        }
        if (cursor.acceptWords("CREATE", "SCHEMA")) {
            boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
            return new DdlStatement.CreateSchema(cursor.expectName(), ifNotExists);
        }
        if (cursor.acceptWords("DROP", "SCHEMA")) {
            boolean ifExists = cursor.acceptWords("IF", "EXISTS");
            return new DdlStatement.DropSchema(cursor.expectName(), ifExists);
        }
        if (cursor.acceptWords("ALTER", "DATABASE")) {
            return alterDatabase();
        }
        if (cursor.acceptWords("ANALYZE")) {
            return skipRest(new DdlStatement.Accepted());
        }
        return createIndex();
    }

    private DdlStatement createView(boolean replaces) {
        boolean ifNotExists = cursor.acceptWords("IF", "NOT", "EXISTS");
        String name = cursor.expectName();
        if (!cursor.acceptWords("SQL", "SECURITY")) {
            throw Errors.invalidArgument("View `%s` is missing the SQL SECURITY clause.", name);
        }
        boolean definer = cursor.acceptWords("DEFINER");
        if (!definer) {
            cursor.expectWords("INVOKER");
        }
        cursor.expectWords("AS");
        String query = cursor.expression(token -> token.isSymbol(";"));
        return new DdlStatement.CreateView(name, replaces, ifNotExists, definer, query);
    }

    private DdlStatement alterDatabase() {
        String database = cursor.next().text();
        boolean postgresKind = cursor.acceptWords("SET", "spanner") && cursor.acceptSymbol(".");
        boolean kind = postgresKind
                ? cursor.acceptWords("default_sequence_kind")
                : cursor.acceptWords("SET", "OPTIONS")
                        && cursor.acceptSymbol("(")
                        && cursor.acceptWords("default_sequence_kind");
        if (!kind) {
            return skipRest(new DdlStatement.Accepted());
        }
        cursor.expectSymbol("=");
        boolean unset = cursor.acceptWords("NULL");
        boolean bitReversed = !unset && SequenceParser.kind(cursor.next());
        if (!postgresKind) {
            cursor.expectSymbol(")");
        }
        return new DdlStatement.SetDefaultSequenceKind(database, bitReversed);
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

    static StatusRuntimeException unsupported(String what) {
        return Errors.unimplemented("%s not supported by this emulator; remove it from the schema used in tests", what);
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
        if (dialect == DatabaseDialect.POSTGRESQL && name.contains(".")) {
            throw Errors.invalidArgument("Syntax error: an index is in the schema of its table, and named without it");
        }
        cursor.expectWords("ON");
        String table = cursor.expectName();
        List<KeyPart> parts = tables.keyParts();
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

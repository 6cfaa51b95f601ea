package dev.spream.emulator.internal.streamsql;

import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Token;
import dev.spream.emulator.internal.sql.TokenCursor;
import dev.spream.emulator.internal.streamsql.WatchSpec.TableWatch;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parses CREATE, ALTER and DROP CHANGE STREAM of both dialects.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#change_stream_statements">GoogleSQL</a>
 * @see <a href="https://cloud.google.com/spanner/docs/reference/postgresql/data-definition-language#change_stream_statements">PostgreSQL</a>
 */
public final class StreamStatementParser {
    private final Dialect dialect;
    private final TokenCursor cursor;

    private StreamStatementParser(Dialect dialect, String ddl) {
        this.dialect = dialect;
        this.cursor = new TokenCursor(ddl, dialect);
    }

    public static boolean handles(Dialect dialect, String ddl) {
        TokenCursor cursor = new TokenCursor(ddl, dialect);
        Token verb = cursor.next();
        return (verb.isWord("CREATE") || verb.isWord("ALTER") || verb.isWord("DROP"))
                && cursor.acceptWords("CHANGE", "STREAM");
    }

    public static StreamStatement parse(Dialect dialect, String ddl) {
        return new StreamStatementParser(dialect, ddl).statement();
    }

    private StreamStatement statement() {
        Token verb = cursor.next();
        expect(cursor.acceptWords("CHANGE", "STREAM"), "CHANGE STREAM");
        String stream = name();
        StreamStatement statement =
                switch (verb.text().toUpperCase(Locale.ROOT)) {
                    case "CREATE" -> create(stream);
                    case "ALTER" -> alter(stream);
                    default -> new StreamStatement.Drop(stream);
                };
        expect(cursor.acceptEnd(), "the end of the statement");
        return statement;
    }

    private StreamStatement create(String stream) {
        WatchSpec watched = cursor.acceptWords("FOR") ? watched() : WatchSpec.NOTHING;
        boolean hasOptions = cursor.acceptWords(dialect == Dialect.POSTGRESQL ? "WITH" : "OPTIONS");
        return new StreamStatement.Create(stream, watched, hasOptions ? options() : Map.of());
    }

    private StreamStatement alter(String stream) {
        if (cursor.acceptWords("DROP", "FOR", "ALL")) {
            return new StreamStatement.DropForAll(stream);
        }
        expect(cursor.acceptWords("SET"), "SET or DROP FOR ALL");
        if (cursor.acceptWords("FOR")) {
            return new StreamStatement.SetFor(stream, watched());
        }
        expect(dialect == Dialect.POSTGRESQL || cursor.acceptWords("OPTIONS"), "FOR or OPTIONS");
        return new StreamStatement.SetOptions(stream, options());
    }

    private WatchSpec watched() {
        if (cursor.acceptWords("ALL")) {
            return WatchSpec.ALL;
        }
        List<TableWatch> tables = new ArrayList<>();
        do {
            tables.add(table());
        } while (cursor.acceptSymbol(","));
        return new WatchSpec(false, tables);
    }

    private TableWatch table() {
        expect(!cursor.peek().isWord("ALL"), "a table name");
        String table = name();
        while (cursor.acceptSymbol(".")) {
            table = dialect == Dialect.POSTGRESQL && table.equals("public") ? name() : table + "." + name();
        }
        if (!cursor.acceptSymbol("(")) {
            return new TableWatch(table, true, List.of());
        }
        List<String> columns = new ArrayList<>();
        while (!cursor.acceptSymbol(")")) {
            expect(columns.isEmpty() || cursor.acceptSymbol(","), ", or )");
            expect(!cursor.peek().isWord("ALL"), "a column name");
            columns.add(name());
        }
        return new TableWatch(table, false, columns);
    }

    private Map<String, Optional<Token>> options() {
        expect(cursor.acceptSymbol("("), "(");
        Map<String, Optional<Token>> options = new LinkedHashMap<>();
        do {
            Token name = cursor.next();
            expect(name.isName(), "an option");
            expect(cursor.acceptSymbol("="), "=");
            Token value = cursor.next();
            expect(value.kind() != Token.Kind.SYMBOL && value.kind() != Token.Kind.END, "a value");
            String key = name.text().toLowerCase(Locale.ROOT);
            if (options.put(key, value.isWord("NULL") ? Optional.empty() : Optional.of(value)) != null) {
                throw error("Duplicate option: " + key);
            }
        } while (cursor.acceptSymbol(","));
        expect(cursor.acceptSymbol(")"), ", or )");
        return options;
    }

    private String name() {
        expect(cursor.peek().isName(), "a name");
        return dialect.name(cursor.next());
    }

    private void expect(boolean found, String expected) {
        if (!found) {
            Token token = cursor.peek();
            throw error("expecting " + expected + " but found "
                    + (token.kind() == Token.Kind.END ? "the end of the statement" : "'" + token.text() + "'")
                    + " at position " + (token.start() + 1));
        }
    }

    private StatusRuntimeException error(String problem) {
        return Errors.invalidArgument(
                "Error parsing Spanner DDL statement: " + cursor.sql() + " : Syntax error: " + problem);
    }
}

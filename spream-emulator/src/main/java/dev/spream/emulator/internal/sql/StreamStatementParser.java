package dev.spream.emulator.internal.sql;

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
    private final SqlReader reader;

    private StreamStatementParser(Dialect dialect, String ddl) {
        this.dialect = dialect;
        this.reader = new SqlReader(dialect, ddl);
    }

    public static boolean handles(Dialect dialect, String ddl) {
        SqlReader reader = new SqlReader(dialect, ddl);
        SqlToken verb = reader.take();
        return (verb.isWord("CREATE") || verb.isWord("ALTER") || verb.isWord("DROP"))
                && reader.takeWords("CHANGE", "STREAM");
    }

    public static StreamStatement parse(Dialect dialect, String ddl) {
        return new StreamStatementParser(dialect, ddl).statement();
    }

    private StreamStatement statement() {
        SqlToken verb = reader.take();
        expect(reader.takeWords("CHANGE", "STREAM"), "CHANGE STREAM");
        String stream = name();
        StreamStatement statement =
                switch (verb.text().toUpperCase(Locale.ROOT)) {
                    case "CREATE" -> create(stream);
                    case "ALTER" -> alter(stream);
                    default -> new StreamStatement.Drop(stream);
                };
        expect(reader.atEnd(), "the end of the statement");
        return statement;
    }

    private StreamStatement create(String stream) {
        Watched watched = reader.takeWords("FOR") ? watched() : Watched.NOTHING;
        boolean hasOptions = reader.takeWords(dialect == Dialect.POSTGRESQL ? "WITH" : "OPTIONS");
        return new StreamStatement.Create(stream, watched, hasOptions ? options() : Map.of());
    }

    private StreamStatement alter(String stream) {
        if (reader.takeWords("DROP", "FOR", "ALL")) {
            return new StreamStatement.DropForAll(stream);
        }
        expect(reader.takeWords("SET"), "SET or DROP FOR ALL");
        if (reader.takeWords("FOR")) {
            return new StreamStatement.SetFor(stream, watched());
        }
        expect(dialect == Dialect.POSTGRESQL || reader.takeWords("OPTIONS"), "FOR or OPTIONS");
        return new StreamStatement.SetOptions(stream, options());
    }

    private Watched watched() {
        if (reader.takeWords("ALL")) {
            return Watched.ALL;
        }
        List<TableWatch> tables = new ArrayList<>();
        do {
            tables.add(table());
        } while (reader.takeSymbol(","));
        return new Watched(false, tables);
    }

    private TableWatch table() {
        expect(!reader.peek().isWord("ALL"), "a table name");
        String table = name();
        while (reader.takeSymbol(".")) {
            table = dialect == Dialect.POSTGRESQL && table.equals("public") ? name() : table + "." + name();
        }
        if (!reader.takeSymbol("(")) {
            return new TableWatch(table, true, List.of());
        }
        List<String> columns = new ArrayList<>();
        while (!reader.takeSymbol(")")) {
            expect(columns.isEmpty() || reader.takeSymbol(","), ", or )");
            expect(!reader.peek().isWord("ALL"), "a column name");
            columns.add(name());
        }
        return new TableWatch(table, false, columns);
    }

    private Map<String, Optional<SqlToken>> options() {
        expect(reader.takeSymbol("("), "(");
        Map<String, Optional<SqlToken>> options = new LinkedHashMap<>();
        do {
            SqlToken name = reader.take();
            expect(name.isName(), "an option");
            expect(reader.takeSymbol("="), "=");
            SqlToken value = reader.take();
            expect(value.kind() != SqlToken.Kind.SYMBOL && value.kind() != SqlToken.Kind.END, "a value");
            String key = name.text().toLowerCase(Locale.ROOT);
            if (options.put(key, value.isWord("NULL") ? Optional.empty() : Optional.of(value)) != null) {
                throw error("Duplicate option: " + key);
            }
        } while (reader.takeSymbol(","));
        expect(reader.takeSymbol(")"), ", or )");
        return options;
    }

    private String name() {
        expect(reader.peek().isName(), "a name");
        return reader.takeName();
    }

    private void expect(boolean found, String expected) {
        if (!found) {
            SqlToken token = reader.peek();
            throw error("expecting " + expected + " but found "
                    + (token.kind() == SqlToken.Kind.END ? "the end of the statement" : "'" + token.text() + "'")
                    + " at position " + (token.position() + 1));
        }
    }

    private StatusRuntimeException error(String problem) {
        return Errors.invalidArgument(
                "Error parsing Spanner DDL statement: " + reader.sql() + " : Syntax error: " + problem);
    }
}

package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.sql.Operators.Operation;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites a query or a DML statement of either dialect into the SQL of the embedded engine. The two are similar: most
 * tokens are copied, constructs that differ are rewritten one by one, and anything that the engine does not support is
 * its syntax error. Confined to one statement.
 *
 * <p>Names of the schema and aliases are quoted in the result, since names such as {@code Value} or {@code Key} are
 * keywords of the engine only.
 */
public final class SqlTranslator {
    /** The engine's schema that contains Spanner's information schema; the engine itself uses the usual name. */
    public static final String INFORMATION_SCHEMA = "SPANNER_INFORMATION_SCHEMA";

    /** The engine's hidden column that limits a table without key columns to one row. */
    public static final String ONLY_ROW = "\"SPANNER_ONLY_ROW\"";

    static final Set<String> KEYWORDS = Set.of("""
            ALL AND ANY ARRAY AS ASC BETWEEN BY CASE CAST CROSS DEFAULT DELETE DESC DISTINCT ELSE END \
            EXCEPT EXISTS FALSE FROM FULL GROUP HAVING IF IN INNER INSERT INTERSECT INTERVAL INTO IS \
            JOIN LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER RIGHT SELECT SET SOME THEN TRUE UNION UNNEST \
            UPDATE USING VALUES WHEN WHERE WITH""".split(" "));

    private final TokenCursor cursor;
    private final DatabaseDialect dialect;
    private final boolean postgres;
    private final SqlParameters parameters;
    private final SqlSchema schema;
    private final Set<String> aliases;
    private final FunctionTranslator functions;
    private final Operators operators;
    private final SelectItems items;
    private final List<@Nullable Object> binds = new ArrayList<>();
    private StringBuilder out = new StringBuilder();

    private SqlTranslator(
            String sql,
            DatabaseDialect dialect,
            SqlParameters parameters,
            SqlSchema schema,
            Optional<CurrentTime> now) {
        this.cursor = new TokenCursor(sql, dialect);
        this.dialect = dialect;
        this.postgres = dialect == DatabaseDialect.POSTGRESQL;
        this.parameters = parameters;
        this.schema = schema;
        this.aliases = SqlNames.aliases(new TokenCursor(sql, dialect));
        this.functions = FunctionTranslator.of(this, cursor, dialect, schema, now);
        this.operators = Operators.of(sql, dialect, parameters, columnTypes(sql));
        this.items = new SelectItems(this, cursor, operators, dialect);
    }

    /** Translates a statement; {@code now} is its current timestamp. */
    public static Translation translate(
            String sql, DatabaseDialect dialect, SqlParameters parameters, SqlSchema schema, Instant now) {
        return new SqlTranslator(sql, dialect, parameters, schema, Optional.of(CurrentTime.of(now))).statement();
    }

    /**
     * Translates an expression that a schema stores.
     *
     * @param deterministic whether it may not use the time, sequences or random values
     */
    public static String expression(String sql, DatabaseDialect dialect, SqlSchema schema, boolean deterministic) {
        Optional<CurrentTime> now = deterministic ? Optional.empty() : Optional.of(CurrentTime.AT_EVALUATION);
        SqlTranslator translator = new SqlTranslator(sql, dialect, SqlParameters.NONE, schema, now);
        translator.translateRest();
        return translator.takeOutput();
    }

    /** Returns the types of the columns of the tables in the statement, where they agree and the statement declares no such name. */
    private Operators.ColumnTypes columnTypes(String sql) {
        Set<String> declared = SqlNames.declared(new TokenCursor(sql, dialect));
        List<String> tables =
                SqlNames.pathsIn(sql, dialect).stream().filter(schema::isTable).toList();
        return name -> {
            List<Type> types = tables.stream()
                    .flatMap(table -> schema.columnType(table, name.text()).stream())
                    .distinct()
                    .limit(2)
                    .toList();
            return types.size() == 1 && !declared.contains(name.text().toLowerCase(Locale.ROOT))
                    ? Optional.of(types.getFirst().getCode())
                    : Optional.empty();
        };
    }

    /** Returns whether the name stands for a table or a column after {@code AS} somewhere in the statement. */
    boolean isAlias(Token name) {
        return aliases.contains(name.text().toLowerCase(Locale.ROOT));
    }

    Operators operators() {
        return operators;
    }

    private Translation statement() {
        DmlTranslator dml = new DmlTranslator(this, cursor, schema, postgres);
        if (cursor.acceptWords("INSERT")) {
            return dml.insert();
        }
        if (cursor.acceptWords("UPDATE")) {
            return dml.update();
        }
        if (cursor.acceptWords("DELETE")) {
            cursor.acceptWords("FROM");
            return dml.delete();
        }
        translateRest();
        return translation("", Set.of(), true);
    }

    Translation translation(String table, Set<String> writtenColumns, boolean returnsRows) {
        return new Translation(takeOutput(), binds, table, writtenColumns, returnsRows, items.types());
    }

    /** Returns the output so far, and begins anew. */
    String takeOutput() {
        String taken = out.toString();
        out = new StringBuilder();
        return taken;
    }

    /** Translates the rest of the statement. */
    void translateRest() {
        items.translate(false);
    }

    /** Translates the rest of the statement, which is a list of select items. */
    void translateList() {
        items.translate(true);
    }

    /** Runs the action and returns its output instead of emitting it. */
    String capture(Runnable action) {
        StringBuilder outer = out;
        out = new StringBuilder();
        action.run();
        String captured = out.toString();
        out = outer;
        return captured;
    }

    void emit(String... texts) {
        for (String text : texts) {
            if (!out.isEmpty()) {
                out.append(' ');
            }
            out.append(text);
        }
    }

    /** Translates the next token, and the whole group if the token opens one. */
    void translateToken() {
        Optional<Operation> operation = operators.take(cursor.position());
        if (operation.isPresent()) {
            operation(operation.get());
            return;
        }
        translateAlone(cursor.peek());
    }

    private void operation(Operation operation) {
        String left = capture(() -> translateTo(operation.operator()));
        if (operation.cast().isPresent()) {
            cursor.skip(operation.end() - cursor.position());
            emit(functions.cast(left, operation.cast().get()));
            return;
        }
        cursor.next();
        String right = capture(() -> translateTo(operation.end()));
        emit(FunctionCatalog.filled(operation.form(), List.of(left, right)));
    }

    private void translateTo(int position) {
        while (cursor.position() < position) {
            translateToken();
        }
    }

    private void translateAlone(Token first) {
        if (first.isName() && tableOfSchema()) {
            return;
        }
        if (cursor.peek(1).isWord("AS") && cursor.peek(2).isSymbol("(") && schema.isTable(first.text())) {
            throw Errors.unimplemented(
                    "The emulator does not support the common table expression %s, which hides the table of that name;"
                            + " give it another name",
                    first.text());
        }
        Token token = cursor.peek();
        switch (token.kind()) {
            case WORD -> word(token);
            case QUOTED_NAME -> {
                if (functions.calledName() < 0 || !functions.translate()) {
                    quotedName(cursor.next());
                }
            }
            case STRING -> {
                emit(stringLiteral(cursor.next().text()));
                refuseNextLiteral(token);
            }
            case BYTES -> {
                emit("X'" + cursor.next().text() + "'");
                refuseNextLiteral(token);
            }
            case NUMBER -> {
                boolean exact = operators.isExactAt(cursor.position());
                String text = cursor.next().text();
                emit(exact ? text : number(text));
            }
            case PARAMETER -> parameter(cursor.next().text());
            case SYMBOL -> symbol(token);
            case END -> throw cursor.syntaxError("Unexpected end of statement");
        }
    }

    /** Refuses a second literal, which the engine would append; PostgreSQL appends one of another line. */
    private void refuseNextLiteral(Token literal) {
        Token next = cursor.peek();
        if ((next.kind() != Kind.STRING && next.kind() != Kind.BYTES)
                || (postgres && cursor.line(next) > cursor.line(literal))) {
            return;
        }
        throw postgres
                ? Errors.invalidArgument("[ERROR] syntax error at or near \"'%s'\"", next.text())
                : Errors.invalidArgument(
                        "Concatenation of subsequent string literals is not supported. Did you mean to use the ||"
                                + " operator? [at %d:%d]",
                        cursor.line(next), cursor.column(next));
    }

    /** Translates the name of a table in a named schema, which is one name in the engine; returns whether it did. */
    private boolean tableOfSchema() {
        if (!cursor.peek(1).isSymbol(".")
                || !cursor.peek(2).isName()
                || cursor.peek(3).isSymbol(".")) {
            return false;
        }
        if (postgres && cursor.peek().isWord("public")) {
            cursor.next();
            cursor.next();
            return false;
        }
        String name = cursor.peek().text() + "." + cursor.peek(2).text();
        if (!schema.isTable(name)) {
            return false;
        }
        cursor.expectName();
        emit(quoted(name));
        emitAlias(name);
        return true;
    }

    /** Emits the alias that a table in a named schema has by itself, unless one follows. */
    void emitAlias(String table) {
        Token next = cursor.peek();
        boolean alias = next.isWord("AS") || (next.isName() && !FunctionTranslator.AFTER_TABLE.contains(next.upper()));
        if (table.contains(".") && !alias) {
            emit("AS", quoted(table.substring(table.indexOf('.') + 1)));
        }
    }

    private void word(Token token) {
        if (functions.translate()) {
            return;
        }
        cursor.next();
        if (token.isWord("FOR") && cursor.acceptWords("UPDATE")) {
            return;
        }
        if (token.isWord("information_schema") && cursor.peek().isSymbol(".")) {
            emit(quoted(INFORMATION_SCHEMA));
        } else if (needsQuotes(token)) {
            emit(quoted(token.text()));
        } else {
            EngineWords.refuse(token, cursor, postgres);
            emit(token.text());
        }
        if (token.isWord("AS")) {
            keywordAsName();
        }
    }

    private void keywordAsName() {
        Token name = cursor.peek();
        if (name.kind() == Kind.WORD && KEYWORDS.contains(name.upper())) {
            emit(quoted(cursor.next().text()));
        }
    }

    private boolean needsQuotes(Token token) {
        String lower = token.text().toLowerCase(Locale.ROOT);
        return !cursor.peek().isSymbol("(")
                && !KEYWORDS.contains(token.upper())
                && (schema.isName(lower) || aliases.contains(lower));
    }

    private void quotedName(Token token) {
        boolean informationSchema = token.text().equalsIgnoreCase("information_schema")
                && cursor.peek().isSymbol(".");
        emit(quoted(informationSchema ? INFORMATION_SCHEMA : token.text()));
    }

    String number(String text) {
        boolean floating = !postgres
                && (text.contains(".") || text.toUpperCase(Locale.ROOT).contains("E"));
        return floating ? "CAST(" + text + " AS DOUBLE PRECISION)" : text;
    }

    private void parameter(String name) {
        String key = postgres ? "p" + name : name;
        binds.add(Values.toEngine(parameters.value(key), parameters.type(key)));
        String bind = "?" + binds.size();
        emit(parameters.isTyped(key) ? "CAST(%s AS %s)".formatted(bind, Types.engineType(parameters.type(key))) : bind);
    }

    /** Binds a timestamp, and returns its expression; equal ones share a parameter. */
    String bound(OffsetDateTime time) {
        if (!binds.contains(time)) {
            binds.add(time);
        }
        return "CAST(?%d AS %s)".formatted(binds.indexOf(time) + 1, Types.engineType(Types.TIMESTAMP));
    }

    private void symbol(Token token) {
        cursor.next();
        switch (token.text()) {
            case "(" -> {
                emit("(");
                translateUntil(")");
                emit(")");
            }
            case "[" -> {
                emit(postgres ? "[" : "ARRAY [");
                translateUntil("]");
                emit("]");
            }
            case "%" -> emit(modulo(token));
            case "!=" -> emit("<>");
            case "." -> {
                emit(".");
                keywordAsName();
            }
            case ";" -> cursor.expectEnd();
            default -> emit(token.text());
        }
    }

    private String modulo(Token token) {
        if (!postgres) {
            throw Errors.invalidArgument(
                    "Syntax error: Unexpected \"%%\" [at %d:%d]", cursor.line(token), cursor.column(token));
        }
        return token.text();
    }

    /** Translates up to a closing symbol, which is consumed and not emitted. */
    void translateUntil(String closing) {
        while (!cursor.acceptSymbol(closing)) {
            translateToken();
        }
    }

    public static String stringLiteral(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** Returns names in the engine's quotes, separated by commas. */
    public static String quotedList(List<String> names) {
        return String.join(", ", names.stream().map(SqlTranslator::quoted).toList());
    }

    /** Returns a name in the engine's quotes. */
    public static String quoted(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }
}

package dev.spream.emulator.internal.streamsql;

import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Token;
import dev.spream.emulator.internal.sql.TokenCursor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Recognises the queries that read a change stream. A query that combines a read function with anything else is an
 * error; a query without a read function is left to the SQL engine.
 */
public final class ChangeStreamQueryParser {
    private static final List<String> ARGUMENTS =
            List.of("start_timestamp", "end_timestamp", "partition_token", "heartbeat_milliseconds", "read_options");

    private final Dialect dialect;
    private final TokenCursor cursor;
    private final Map<String, Value> parameters;
    private final String function;

    private ChangeStreamQueryParser(Dialect dialect, TokenCursor cursor, Struct parameters, String function) {
        this.dialect = dialect;
        this.cursor = cursor;
        this.parameters = parameters.getFieldsMap();
        this.function = function;
    }

    /**
     * Returns the query, or empty if the text calls no read function.
     *
     * @param streams maps the name of a read function to the declared name of its stream
     */
    public static Optional<ChangeStreamQuery> parse(
            Dialect dialect, String sql, Struct parameters, Function<String, Optional<String>> streams) {
        if (!sql.toLowerCase(Locale.ROOT).contains("read_")) {
            return Optional.empty();
        }
        TokenCursor search = new TokenCursor(sql, dialect);
        return readFunction(search, dialect).map(call -> {
            String function = dialect.name(call);
            String stream = streams.apply(function).orElseThrow(() -> unknownFunction(dialect, search, call, function));
            return new ChangeStreamQueryParser(dialect, new TokenCursor(sql, dialect), parameters, function)
                    .query(stream);
        });
    }

    private static Optional<Token> readFunction(TokenCursor cursor, Dialect dialect) {
        for (Token before = cursor.next(); !cursor.atEnd(); before = cursor.next()) {
            boolean inFrom =
                    before.isWord("FROM") || before.isWord("JOIN") || before.isSymbol(",") || before.isSymbol(".");
            Token name = cursor.peek();
            if (inFrom && cursor.peek(1).isSymbol("(") && name.isName() && dialect.isReadFunction(name.text())) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    private static StatusRuntimeException unknownFunction(
            Dialect dialect, TokenCursor cursor, Token call, String function) {
        if (dialect == Dialect.POSTGRESQL) {
            return Status.NOT_FOUND
                    .withDescription("[ERROR] function spanner." + function + " does not exist")
                    .asRuntimeException();
        }
        return Errors.invalidArgument("Table-valued function not found: " + function + " [at " + cursor.line(call) + ":"
                + cursor.column(call) + "]");
    }

    private ChangeStreamQuery query(String stream) {
        require(cursor.acceptWords("SELECT") && takeColumn() && cursor.acceptWords("FROM"));
        if (dialect == Dialect.POSTGRESQL) {
            require(takeName("spanner") && cursor.acceptSymbol("."));
        }
        require(takeName(function) && cursor.acceptSymbol("("));
        QueryArgument[] arguments = arguments();
        require(cursor.acceptEnd());
        return new ChangeStreamQuery(
                stream,
                function,
                arguments[0].timestamp().orElse(null),
                arguments[1].timestamp().orElse(null),
                arguments[2].text(),
                arguments[3].integer().orElse(null),
                arguments[4].text() != null,
                ByteString.EMPTY);
    }

    private boolean takeName(String name) {
        return cursor.peek().isName() && dialect.name(cursor.next()).equals(name);
    }

    private boolean takeColumn() {
        if (cursor.acceptSymbol("*")) {
            return true;
        }
        String column = dialect == Dialect.POSTGRESQL ? function : "ChangeRecord";
        return cursor.peek().isName() && dialect.sameName(dialect.name(cursor.next()), column);
    }

    private void require(boolean alone) {
        if (!alone) {
            throw notAlone();
        }
    }

    private StatusRuntimeException notAlone() {
        String advice = dialect == Dialect.POSTGRESQL
                ? "`select * from \"spanner\".\"" + function + "\"(<args>)`."
                : "`SELECT ChangeRecord FROM " + function + "(<args>)`.";
        return Errors.unimplemented("Change stream TVF must not be combined with any other SQL statements. "
                + "Change stream records should be read using " + advice);
    }

    private StatusRuntimeException notLiteral(int index) {
        return Errors.invalidArgument("Invalid argument of change stream TVF " + function + ". Argument " + index
                + " is not a literal or parameter. Implicit type conversions are not supported.");
    }

    private QueryArgument[] arguments() {
        QueryArgument[] arguments = new QueryArgument[ARGUMENTS.size()];
        Arrays.fill(arguments, QueryArgument.NULL);
        List<String> seen = new ArrayList<>();
        while (!cursor.acceptSymbol(")")) {
            require(seen.isEmpty() || cursor.acceptSymbol(","));
            String name = argumentName(seen.size());
            int index = ARGUMENTS.indexOf(name);
            if (index < 0 || seen.contains(name)) {
                throw Errors.invalidArgument("No matching signature for " + function + ". Its arguments are "
                        + String.join(", ", ARGUMENTS) + ", each at most once; got "
                        + (index < 0 ? "more, or " + name : name + " again") + ".");
            }
            seen.add(name);
            arguments[index] = argument(seen.size() - 1);
        }
        return arguments;
    }

    private String argumentName(int position) {
        if (cursor.peek().kind() == Token.Kind.WORD && cursor.peek(1).isSymbol("=>")) {
            String name = cursor.next().text().toLowerCase(Locale.ROOT);
            cursor.next();
            return name;
        }
        return position < ARGUMENTS.size() ? ARGUMENTS.get(position) : "argument " + (position + 1);
    }

    private QueryArgument argument(int index) {
        boolean typed = cursor.acceptWords("TIMESTAMP");
        boolean negative = cursor.peek(1).kind() == Token.Kind.NUMBER && cursor.acceptSymbol("-");
        Token token = cursor.next();
        QueryArgument argument =
                switch (token.kind()) {
                    case PARAMETER -> parameter(token.text());
                    case STRING, NUMBER -> new QueryArgument(negative ? "-" + token.text() : token.text());
                    case WORD, QUOTED_NAME, BYTES, SYMBOL, END -> {
                        if (token.isSymbol("[")) {
                            yield list();
                        }
                        if (typed || !token.isWord("NULL")) {
                            throw notLiteral(index);
                        }
                        yield QueryArgument.NULL;
                    }
                };
        takeCast();
        if (!cursor.peek().isSymbol(",") && !cursor.peek().isSymbol(")")) {
            throw notLiteral(index);
        }
        return argument;
    }

    /** Parses the rest of an array, which only the reserved argument may be; its contents are ignored. */
    private QueryArgument list() {
        while (!cursor.acceptSymbol("]") && cursor.peek().kind() != Token.Kind.END) {
            cursor.next();
        }
        return new QueryArgument("ARRAY");
    }

    private void takeCast() {
        if (dialect == Dialect.POSTGRESQL && cursor.acceptSymbol("::")) {
            while (cursor.peek().kind() == Token.Kind.WORD) {
                cursor.next();
            }
        }
    }

    private QueryArgument parameter(String name) {
        String key = dialect == Dialect.POSTGRESQL ? "p" + name : name;
        return parameters.entrySet().stream()
                .filter(parameter -> parameter.getKey().equalsIgnoreCase(key))
                .map(parameter -> QueryArgument.of(parameter.getValue()))
                .findFirst()
                .orElseThrow(() -> Errors.invalidArgument("No parameter found for binding: " + key));
    }
}

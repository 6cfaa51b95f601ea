package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.sql.OperatorRules.Operand;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The items of select lists, whose names and types in the result are those of Spanner. Part of a translator. */
final class SelectItems {
    private static final Set<String> AFTER_ITEM =
            Set.of("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT");

    private static final Set<TypeCode> UNORDERED = Set.of(TypeCode.JSON, TypeCode.ARRAY);

    private final SqlTranslator translator;
    private final TokenCursor cursor;
    private final Operators operators;
    private final DatabaseDialect dialect;
    private final List<Optional<Type>> types = new ArrayList<>();
    private boolean counted = true;
    private boolean combined;
    private boolean distinct;

    SelectItems(SqlTranslator translator, TokenCursor cursor, Operators operators, DatabaseDialect dialect) {
        this.translator = translator;
        this.cursor = cursor;
        this.operators = operators;
        this.dialect = dialect;
    }

    /** Returns the types of the items of the first list, up to one that stands for several columns. */
    List<Optional<Type>> types() {
        return List.copyOf(types);
    }

    /** Translates the rest of the statement, which may begin with an item. */
    void translate(boolean beginsWithItem) {
        boolean inList = beginsWithItem;
        boolean atItem = beginsWithItem;
        while (!cursor.atEnd()) {
            if (inList && atItem && !endsItem()) {
                item();
            }
            Token next = cursor.peek();
            combined = combined || next.isWord("UNION") || next.isWord("EXCEPT") || next.isWord("INTERSECT");
            inList = (inList || next.isWord("SELECT")) && !AFTER_ITEM.contains(next.upper());
            atItem = next.isWord("SELECT") || next.isWord("DISTINCT") || next.isWord("ALL") || next.isSymbol(",");
            distinct = distinct || next.isWord("DISTINCT");
            if (next.kind() != Kind.END) {
                translator.translateToken();
            }
            if (next.isWord("ORDER") && cursor.acceptWords("BY")) {
                translator.emit("BY");
                order();
            }
        }
    }

    /** Translates the list of ORDER BY: in GoogleSQL NaN comes before other numbers, in the engine after them. */
    private void order() {
        boolean first = dialect != DatabaseDialect.POSTGRESQL && !distinct && !combined;
        do {
            int start = cursor.position();
            String key = translator.capture(() -> {
                while (!endsItem()
                        && !cursor.peek().isWord("ASC")
                        && !cursor.peek().isWord("DESC")) {
                    translator.translateToken();
                }
            });
            Optional<TypeCode> type = operators.whole(start, cursor.position()).map(Operand::type);
            type.filter(UNORDERED::contains).ifPresent(each -> {
                throw Errors.invalidArgument("ORDER BY does not support expressions of type %s", each);
            });
            boolean floating = type.filter(OperatorRules.FLOATS::contains).isPresent();
            translator.emit(first && floating ? "SPANNER_ORDER(" + key + ")" : key);
            while (!endsItem()) {
                translator.translateToken();
            }
        } while (cursor.acceptSymbol(",") && comma());
    }

    private boolean comma() {
        translator.emit(",");
        return true;
    }

    /** Translates an item without the name that the query gives it, and names it if there is none. */
    private void item() {
        Token first = cursor.peek();
        if (first.isWord("DISTINCT") || first.isWord("ALL") || first.isWord("AS")) {
            return;
        }
        int start = cursor.position();
        while (!endsItem() && !cursor.peek().isWord("AS") && !atAlias(start)) {
            translator.translateToken();
        }
        if (cursor.peek(-1).isSymbol("*")) {
            counted = false;
            return;
        }
        Optional<Operand> whole = operators.whole(start, cursor.position());
        if (counted && !combined) {
            types.add(whole.map(Operand::type)
                    .filter(type -> type != OperatorRules.UNKNOWN && type != TypeCode.ARRAY)
                    .map(type -> Types.of(type, dialect)));
        }
        if (endsItem()) {
            String name = whole.map(Operand::name).orElse("");
            translator.emit("AS", SqlTranslator.quoted(name.isEmpty() ? Translation.UNNAMED : name));
        }
    }

    /** Returns whether a token outside of the item is next. */
    private boolean endsItem() {
        boolean compares = cursor.peek().isWord("FROM")
                && cursor.peek(-1).isWord("DISTINCT")
                && cursor.position() > 1
                && !cursor.peek(-2).isWord("SELECT");
        return !compares && endsItem(cursor.peek());
    }

    private static boolean endsItem(Token token) {
        return token.isSymbol(",")
                || token.isSymbol(";")
                || token.kind() == Kind.END
                || (token.kind() == Kind.WORD && AFTER_ITEM.contains(token.upper()));
    }

    /** Returns whether the next token names the item without AS. */
    private boolean atAlias(int start) {
        Token last = cursor.peek(-1);
        return cursor.position() > start
                && SqlNames.isPlainName(cursor.peek())
                && endsItem(cursor.peek(1))
                && (SqlNames.isPlainName(last) || SqlNames.endsOperand(last));
    }
}

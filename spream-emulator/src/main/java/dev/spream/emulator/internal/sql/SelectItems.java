package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.Token.Kind;
import java.util.Locale;

/** The items of select lists, whose names in the result are those of Spanner. Part of a translator. */
record SelectItems(
        SqlTranslator translator,
        TokenCursor cursor,
        FunctionTranslator functions,
        Operators operators,
        boolean postgres) {

    /** Translates the rest of the statement, which may begin with an item. */
    void translate(boolean beginsWithItem) {
        boolean inList = beginsWithItem;
        boolean atItem = beginsWithItem;
        while (!cursor.atEnd()) {
            Token next = cursor.peek();
            if (inList && atItem && (postgres ? translateCallAsNamed() : translateAsNamed())) {
                continue;
            }
            inList = (inList || next.isWord("SELECT")) && !next.isWord("FROM");
            atItem = next.isWord("SELECT") || next.isWord("DISTINCT") || next.isSymbol(",");
            translator.translateToken();
        }
    }

    /**
     * Translates a column at the end of a select item, if there is one, and names the result column as the query spells
     * it. The engine would use the spelling of the table: columns of the information schema are in upper case there,
     * and clients query in lower case. Returns whether there was one.
     */
    private boolean translateAsNamed() {
        int last = 0;
        while (cursor.peek(last).isName() && cursor.peek(last + 1).isSymbol(".")) {
            last += 2;
        }
        Token name = cursor.peek(last);
        Token after = cursor.peek(last + 1);
        boolean column = name.kind() == Kind.WORD
                && (last > 0 || !SqlTranslator.KEYWORDS.contains(name.upper()))
                && !name.upper().startsWith("CURRENT_");
        if (!endsItem(after) || !column) {
            return false;
        }
        while (!cursor.peek().equals(after)) {
            translator.translateToken();
        }
        translator.emit("AS", SqlTranslator.quoted(name.text()));
        return true;
    }

    /**
     * Translates a call, if it is a select item of its own, and names the result column by it, as PostgreSQL does; or an
     * operation that is a call in the engine.
     */
    private boolean translateCallAsNamed() {
        if (operators.beginAt(cursor.position())) {
            translator.translateToken();
            nameItem("?column?");
            return true;
        }
        int last = functions.calledName();
        if (last < 0 || cursor.peek(last).isWord("UNNEST") || cursor.peek(last).isWord("CAST")) {
            return false;
        }
        String name = cursor.peek(last).text().toLowerCase(Locale.ROOT);
        translator.translateToken();
        nameItem(name.equals("trim") ? "btrim" : name);
        return true;
    }

    private void nameItem(String name) {
        if (endsItem(cursor.peek())) {
            translator.emit("AS", SqlTranslator.quoted(name));
        }
    }

    private static boolean endsItem(Token token) {
        return token.isSymbol(",") || token.isWord("FROM") || token.kind() == Kind.END;
    }
}

package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.Privilege.Action;
import dev.spream.emulator.internal.sql.Privilege.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Parses GRANT and REVOKE. Part of a {@link DdlParser}. */
record RoleParser(TokenCursor cursor, boolean postgres) {
    private static final Set<Action> OF_TABLES = Set.of(Action.SELECT, Action.INSERT, Action.UPDATE, Action.DELETE);

    DdlStatement grant() {
        List<Privilege> privileges = privileges("TO");
        cursor.expectWords("TO");
        return new DdlStatement.Grant(privileges, roles());
    }

    DdlStatement revoke() {
        List<Privilege> privileges = privileges("FROM");
        cursor.expectWords("FROM");
        return new DdlStatement.Revoke(privileges, roles());
    }

    private List<String> roles() {
        if (!postgres) {
            cursor.expectWords("ROLE");
        }
        return names();
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        do {
            names.add(cursor.expectName());
        } while (cursor.acceptSymbol(","));
        return names;
    }

    private List<Privilege> privileges(String end) {
        boolean membership = postgres
                ? cursor.peek(1).isWord(end) || (cursor.peek(1).isSymbol(",") && !isAction(cursor.peek()))
                : cursor.acceptWords("ROLE");
        if (membership) {
            return names().stream()
                    .map(role -> new Privilege(Action.MEMBERSHIP, Kind.ROLE, role))
                    .toList();
        }
        List<Action> actions = new ArrayList<>();
        do {
            actions.add(action());
        } while (cursor.acceptSymbol(","));
        cursor.expectWords("ON");
        Kind kind = kind(actions);
        List<Privilege> privileges = new ArrayList<>();
        for (String object : names()) {
            actions.forEach(action -> privileges.add(new Privilege(action, kind, object)));
        }
        return privileges;
    }

    private static boolean isAction(Token token) {
        return List.of(Action.values()).stream().anyMatch(action -> token.isWord(action.name()));
    }

    private Action action() {
        for (Action action : Action.values()) {
            if (cursor.acceptWords(action.name())) {
                if (cursor.peek().isSymbol("(")) {
                    throw DdlParser.unsupported("A privilege on columns, instead of a whole table, is");
                }
                return action;
            }
        }
        throw cursor.syntaxError("Expected a privilege");
    }

    private Kind kind(List<Action> actions) {
        if (cursor.peek().isWord("ALL")) {
            throw DdlParser.unsupported("A privilege on all objects of a schema is");
        }
        boolean select = actions.equals(List.of(Action.SELECT));
        if (select && cursor.acceptWords("CHANGE", "STREAM")) {
            return Kind.CHANGE_STREAM;
        }
        if (select && cursor.acceptWords("VIEW")) {
            return Kind.VIEW;
        }
        boolean execute = actions.equals(List.of(Action.EXECUTE));
        if (execute && (cursor.acceptWords("TABLE", "FUNCTION") || (postgres && cursor.acceptWords("FUNCTION")))) {
            return Kind.FUNCTION;
        }
        if (actions.equals(List.of(Action.USAGE)) && cursor.acceptWords("SCHEMA")) {
            return Kind.SCHEMA;
        }
        if (OF_TABLES.containsAll(actions)) {
            boolean table = cursor.acceptWords("TABLE");
            if (table || postgres) {
                return Kind.TABLE;
            }
        }
        throw DdlParser.unsupported("A privilege on " + cursor.peek().upper() + " is");
    }
}

package dev.spream.emulator.internal.sql;

import dev.spream.emulator.internal.sql.Token.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Splits SQL into tokens, by the lexical rules of one dialect. Comments and hints ({@code @{...}}) are dropped; the
 * value of a BYTES literal is kept as hexadecimal digits; PostgreSQL's names without quotes are in lower case.
 */
final class Lexer {
    private static final List<String> LONG_SYMBOLS = List.of("||", "<=", ">=", "!=", "<>", "=>", "::", "<<", ">>");

    /** The latest text, since several parsers read each statement. */
    private static volatile Lexed latest = new Lexed("", false, new Lexer("", false).run());

    private final String sql;
    private final boolean postgres;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private Lexer(String sql, boolean postgres) {
        this.sql = sql;
        this.postgres = postgres;
    }

    private record Lexed(String sql, boolean postgres, List<Token> tokens) {}

    /** Returns the tokens, the last of kind END. */
    static List<Token> tokens(String sql, boolean postgres) {
        Lexed known = latest;
        if (known.postgres == postgres && known.sql.equals(sql)) {
            return known.tokens;
        }
        List<Token> tokens = List.copyOf(new Lexer(sql, postgres).run());
        latest = new Lexed(sql, postgres, tokens);
        return tokens;
    }

    private List<Token> run() {
        while (skipBlanks()) {
            int start = at;
            char c = sql.charAt(at);
            if (isNameStart(c) && !literalPrefix()) {
                at = endOfName(at);
                String word = sql.substring(start, at);
                add(Kind.WORD, postgres ? word.toLowerCase(Locale.ROOT) : word, start);
            } else if (Character.isDigit(c) || (c == '.' && isDigit(at + 1))) {
                number(start);
            } else if (c == '\'' || (c == '"' && !postgres) || isNameStart(c)) {
                literal(start);
            } else if (c == '`' || c == '"') {
                quotedName(start, c);
            } else if (isParameter(c)) {
                at = endOfName(at + 1);
                add(Kind.PARAMETER, sql.substring(start + 1, at), start);
            } else {
                symbol(start);
            }
        }
        add(Kind.END, "", at);
        return tokens;
    }

    private void add(Kind kind, String text, int start) {
        tokens.add(new Token(kind, text, start, at));
    }

    private boolean skipBlanks() {
        while (at < sql.length()) {
            if (Character.isWhitespace(sql.charAt(at))) {
                at++;
            } else if (sql.startsWith("--", at) || (!postgres && sql.charAt(at) == '#')) {
                at = orEnd(sql.indexOf('\n', at), 1);
            } else if (sql.startsWith("/*", at)) {
                at = orEnd(sql.indexOf("*/", at + 2), 2);
            } else if (!postgres && sql.startsWith("@{", at)) {
                at = orEnd(sql.indexOf('}', at), 1);
            } else {
                return true;
            }
        }
        return false;
    }

    private int orEnd(int found, int length) {
        return found < 0 ? sql.length() : found + length;
    }

    private boolean isDigit(int index) {
        return index < sql.length() && Character.isDigit(sql.charAt(index));
    }

    private static boolean isNameStart(char c) {
        return Character.isLetter(c) || c == '_';
    }

    private int endOfName(int from) {
        int end = from;
        while (end < sql.length() && (Character.isLetterOrDigit(sql.charAt(end)) || sql.charAt(end) == '_')) {
            end++;
        }
        return end;
    }

    private boolean isParameter(char c) {
        if (at + 1 >= sql.length()) {
            return false;
        }
        return postgres ? c == '$' && isDigit(at + 1) : c == '@' && isNameStart(sql.charAt(at + 1));
    }

    /** Returns whether the name that starts here is the prefix of a literal, as in {@code rb'...'} or {@code E'...'}. */
    private boolean literalPrefix() {
        int end = endOfName(at);
        if (end >= sql.length() || end - at > 2) {
            return false;
        }
        char quote = sql.charAt(end);
        String prefix = sql.substring(at, end).toLowerCase(Locale.ROOT);
        return postgres
                ? quote == '\'' && prefix.equals("e")
                : (quote == '\'' || quote == '"')
                        && List.of("r", "b", "rb", "br").contains(prefix);
    }

    private void number(int start) {
        if (sql.startsWith("0x", at) || sql.startsWith("0X", at)) {
            at = endOfName(at);
            String digits = sql.substring(start + 2, at);
            add(Kind.NUMBER, String.valueOf(Long.parseUnsignedLong(digits, 16)), start);
            return;
        }
        while (at < sql.length() && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '.')) {
            boolean exponent = sql.charAt(at) == 'e' || sql.charAt(at) == 'E';
            at++;
            if (exponent && at < sql.length() && (sql.charAt(at) == '-' || sql.charAt(at) == '+')) {
                at++;
            }
        }
        add(Kind.NUMBER, sql.substring(start, at), start);
    }

    private void quotedName(int start, char quote) {
        StringBuilder name = new StringBuilder();
        at++;
        while (true) {
            char c = need(start);
            at++;
            if (c == quote) {
                if (at >= sql.length() || sql.charAt(at) != quote || !postgres) {
                    break;
                }
                at++;
            }
            name.append(c);
        }
        add(Kind.QUOTED_NAME, name.toString(), start);
    }

    private char need(int start) {
        if (at >= sql.length()) {
            throw Errors.invalidArgument("Syntax error: Unclosed literal or name [at offset %d]", start);
        }
        return sql.charAt(at);
    }

    private void literal(int start) {
        String prefix = sql.substring(at, endOfName(at)).toLowerCase(Locale.ROOT);
        at += prefix.length();
        char quote = sql.charAt(at);
        boolean triple = !postgres && sql.startsWith(String.valueOf(quote).repeat(3), at);
        at += triple ? 3 : 1;
        boolean escapes = postgres ? prefix.equals("e") : !prefix.contains("r");
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        while (true) {
            char c = need(start);
            if (triple ? sql.startsWith(String.valueOf(quote).repeat(3), at) : c == quote) {
                at += triple ? 3 : 1;
                if (!postgres || at >= sql.length() || sql.charAt(at) != '\'') {
                    break;
                }
                at++;
                value.write('\'');
            } else if (c == '\\' && escapes) {
                escape(start, value, prefix.contains("b"));
            } else {
                int codePoint = sql.codePointAt(at);
                at += Character.charCount(codePoint);
                value.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
            }
        }
        if (prefix.contains("b")) {
            add(Kind.BYTES, HexFormat.of().formatHex(value.toByteArray()), start);
        } else {
            add(Kind.STRING, value.toString(StandardCharsets.UTF_8), start);
        }
    }

    private void escape(int start, ByteArrayOutputStream value, boolean bytes) {
        at++;
        char c = need(start);
        at++;
        switch (c) {
            case 'n' -> value.write('\n');
            case 't' -> value.write('\t');
            case 'r' -> value.write('\r');
            case 'b' -> value.write('\b');
            case 'f' -> value.write('\f');
            case 'a' -> value.write(7);
            case 'v' -> value.write(11);
            case 'x', 'X' -> code(value, 2, 16, bytes);
            case 'u' -> code(value, 4, 16, false);
            case 'U' -> code(value, 8, 16, false);
            case '0', '1', '2', '3' -> {
                at--;
                code(value, 3, 8, bytes);
            }
            default -> value.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
        }
    }

    private void code(ByteArrayOutputStream value, int digits, int radix, boolean raw) {
        if (at + digits > sql.length()) {
            throw Errors.invalidArgument("Syntax error: Illegal escape sequence [at offset %d]", at);
        }
        try {
            int code = Integer.parseInt(sql.substring(at, at + digits), radix);
            at += digits;
            if (raw) {
                value.write(code);
            } else {
                value.writeBytes(Character.toString(code).getBytes(StandardCharsets.UTF_8));
            }
        } catch (IllegalArgumentException e) {
            throw Errors.invalidArgument("Syntax error: Illegal escape sequence [at offset %d]", at);
        }
    }

    private void symbol(int start) {
        for (String symbol : LONG_SYMBOLS) {
            if (sql.startsWith(symbol, at)) {
                at += symbol.length();
                add(Kind.SYMBOL, symbol, start);
                return;
            }
        }
        at++;
        add(Kind.SYMBOL, sql.substring(start, at), start);
    }
}

package dev.spream.emulator;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of a DDL file: separated by semicolons, apart from those in comments, literals and quoted names. */
public final class DdlScript {
    private static final Pattern COMMENT = Pattern.compile("--[^\\n]*|#[^\\n]*|/\\*(?s:.*?)\\*/");
    private static final String QUOTED = "'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`";
    private static final Pattern TOKEN = Pattern.compile("(?<quoted>" + QUOTED + ")|(?<comment>" + COMMENT + ")");
    private static final Pattern STATEMENT = Pattern.compile("(?:" + QUOTED + "|[^;'\"`]|['\"`])+");

    private DdlScript() {}

    public static List<String> statements(String script) {
        String uncommented = TOKEN.matcher(script)
                .replaceAll(
                        (MatchResult token) -> token.group(1) == null ? " " : Matcher.quoteReplacement(token.group(1)));
        return STATEMENT
                .matcher(uncommented)
                .results()
                .map(statement -> statement.group().strip())
                .filter(statement -> !statement.isEmpty())
                .toList();
    }
}

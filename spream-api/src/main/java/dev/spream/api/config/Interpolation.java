package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A configured value with references such as <code>${env:HOME}</code>. The content of a reference is not searched for
 * further references.
 */
record Interpolation(List<Piece> pieces) {
    private static final String OPEN = "${";
    private static final String KINDS = "use ${file:path} or ${env:NAME}, or $${ for a literal ${";
    private static final int MAX_FILE_BYTES = 64 << 10;

    sealed interface Piece {
        record Literal(String text) implements Piece {}

        record Reference(String kind, String name) implements Piece {
            String written() {
                return "${%s:%s}".formatted(kind, name);
            }
        }

        /** Text that begins like a reference and is malformed. */
        record Broken(String text) implements Piece {}
    }

    /** The resolved text, which is valid only without problems. Each problem is text to be appended to the key. */
    record Resolved(String text, List<String> problems) {
        @Override
        public String toString() {
            return "Resolved[problems=%s]".formatted(problems);
        }
    }

    static Interpolation parse(String written) {
        List<Piece> pieces = new ArrayList<>();
        int from = 0;
        for (int open = written.indexOf(OPEN); open >= 0; open = written.indexOf(OPEN, from)) {
            boolean escaped = open > from && written.charAt(open - 1) == '$';
            int close = written.indexOf('}', open);
            pieces.add(new Piece.Literal(written.substring(from, escaped ? open - 1 : open)));
            if (escaped) {
                pieces.add(new Piece.Literal(OPEN));
                from = open + OPEN.length();
            } else if (close < 0) {
                pieces.add(new Piece.Broken(written.substring(open)));
                return new Interpolation(pieces);
            } else {
                pieces.add(reference(written.substring(open, close + 1)));
                from = close + 1;
            }
        }
        pieces.add(new Piece.Literal(written.substring(from)));
        return new Interpolation(pieces);
    }

    private static Piece reference(String written) {
        String content = written.substring(OPEN.length(), written.length() - 1);
        String[] parts = content.split(":", 2);
        boolean known = parts.length == 2 && (parts[0].equals("file") || parts[0].equals("env"));
        return known && !parts[1].isEmpty() ? new Piece.Reference(parts[0], parts[1]) : new Piece.Broken(written);
    }

    boolean hasReferences() {
        return pieces.stream().anyMatch(Piece.Reference.class::isInstance);
    }

    String shown(ConfigKey<?> key) {
        if (key.isSecret() || key.shownPart().isEmpty()) {
            return shown(key.isSecret());
        }
        return pieces.stream().allMatch(Piece.Literal.class::isInstance)
                ? DisplayText.text(key.shownPart().get().apply(asWritten()))
                : shown(true);
    }

    /** Returns the text for display: references unresolved, and a secret's literal text masked. */
    String shown(boolean secret) {
        return secret ? shownOfSecret() : DisplayText.value(asWritten());
    }

    /** Masks the text as a whole, since a password may span literals and references. */
    private String asWritten() {
        return pieces.stream()
                .map(piece -> switch (piece) {
                    case Piece.Literal literal -> literal.text();
                    case Piece.Reference reference -> reference.written();
                    case Piece.Broken broken -> broken.text();
                })
                .collect(Collectors.joining());
    }

    private String shownOfSecret() {
        return pieces.stream()
                .map(piece -> switch (piece) {
                    case Piece.Literal literal when literal.text().isEmpty() -> "";
                    case Piece.Literal literal -> DisplayText.MASK;
                    case Piece.Reference reference -> DisplayText.text(reference.written());
                    case Piece.Broken broken -> DisplayText.MASK;
                })
                .collect(Collectors.joining());
    }

    Resolved resolve(Map<String, String> variables, boolean secret) {
        StringBuilder text = new StringBuilder();
        List<String> problems = new ArrayList<>();
        for (Piece piece : pieces) {
            try {
                text.append(
                        switch (piece) {
                            case Piece.Literal literal -> literal.text();
                            case Piece.Reference reference -> content(reference, variables);
                            case Piece.Broken broken -> throw new IOException(brokenText(broken, secret));
                        });
            } catch (IOException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        return new Resolved(text.toString(), problems);
    }

    private static String brokenText(Piece.Broken broken, boolean secret) {
        return "%s is not a valid reference: %s"
                .formatted(secret ? "the text after ${" : DisplayText.value(broken.text()), KINDS);
    }

    private static String content(Piece.Reference reference, Map<String, String> variables) throws IOException {
        if (reference.kind().equals("file")) {
            return content(reference.name());
        }
        String value = variables.get(reference.name());
        if (value == null) {
            throw new IOException("the variable %s is not set".formatted(DisplayText.text(reference.name())));
        }
        return value;
    }

    private static String content(String file) throws IOException {
        try {
            return SmallFile.read(Path.of(file), MAX_FILE_BYTES).replaceFirst("\r?\n\\z", "");
        } catch (InvalidPathException e) {
            throw new IOException("the file name %s is not a valid path".formatted(DisplayText.text(file)), e);
        } catch (IOException e) {
            throw new IOException("the file %s %s".formatted(DisplayText.text(file), e.getMessage()), e);
        }
    }
}

package dev.spream.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The secrets that this process was configured with, which are struck from every text that leaves it: messages of exceptions, what
 * is stored of failures, what is logged and served. Safe for use by many threads.
 */
public final class Secrets {
    /** What stands in place of a secret, whatever its length. */
    public static final String MASK = "********";

    /** What is shorter is in too many words to be struck. */
    private static final int MIN_LENGTH = 4;

    private static volatile List<String> longestFirst = List.of();

    private Secrets() {}

    /** Strikes that text from now on. A text of less than four characters is no secret to keep. */
    public static synchronized void add(String secret) {
        if (secret.length() < MIN_LENGTH || longestFirst.contains(secret)) {
            return;
        }
        List<String> more = new ArrayList<>(longestFirst);
        more.add(secret);
        more.sort(Comparator.comparingInt(String::length).reversed());
        longestFirst = List.copyOf(more);
    }

    /** The text without secrets. */
    public static String strike(String text) {
        String struck = text;
        for (String secret : longestFirst) {
            struck = struck.replace(secret, MASK);
        }
        return struck;
    }
}

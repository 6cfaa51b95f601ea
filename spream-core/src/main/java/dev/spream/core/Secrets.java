package dev.spream.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The secrets that this process was configured with, which are removed from every text that leaves it: exception
 * messages, stored failures, log lines and served pages. Safe for use by many threads.
 */
public final class Secrets {
    /** The replacement of a secret, whatever its length. */
    public static final String MASK = "********";

    /** Shorter texts occur in too many words to be removed. */
    private static final int MIN_LENGTH = 4;

    private static volatile List<String> longestFirst = List.of();

    private Secrets() {}

    /** Adds a secret, which is masked from now on. Texts of less than four characters are ignored. */
    public static synchronized void add(String secret) {
        if (secret.length() < MIN_LENGTH || longestFirst.contains(secret)) {
            return;
        }
        List<String> more = new ArrayList<>(longestFirst);
        more.add(secret);
        more.sort(Comparator.comparingInt(String::length).reversed());
        longestFirst = List.copyOf(more);
    }

    /** Returns the text with all secrets masked. */
    public static String mask(String text) {
        String struck = text;
        for (String secret : longestFirst) {
            struck = struck.replace(secret, MASK);
        }
        return struck;
    }
}

package dev.spream.api.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known word that a mistyped one most likely stands for. */
public final class Suggestion {
    private Suggestion() {}

    /** Returns the candidate with the fewest typing mistakes; empty if most of the word would be mistakes. */
    public static Optional<String> nearest(String word, Collection<String> candidates) {
        return candidates.stream()
                .filter(candidate -> mistakes(word, candidate) <= Math.max(1, word.length() / 3))
                .min(Comparator.comparingInt((String candidate) -> mistakes(word, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Returns the number of typing mistakes: insertions, deletions, replacements and swaps of neighbouring letters. */
    private static int mistakes(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : least(distance, a, b, i, j);
            }
        }
        return distance[a.length()][b.length()];
    }

    private static int least(int[][] distance, String a, String b, int i, int j) {
        int replaced = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, Math.min(distance[i - 1][j], distance[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, distance[i - 2][j - 2] + 1) : least;
    }
}

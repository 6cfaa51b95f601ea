package dev.spream.cli;

import java.util.stream.Stream;

/** Combinations that a test runs over: by default those that come first, and all of them with {@code -Dmatrix=true}. */
final class Matrix {
    private static final boolean WHOLE = Boolean.getBoolean("matrix");

    private Matrix() {}

    static <T> Stream<T> of(int first, Stream<T> all) {
        return WHOLE ? all : all.limit(first);
    }
}

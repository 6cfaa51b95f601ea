package dev.spream.spring;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Names as Spring compares them: {@code max-inflight}, {@code maxInflight} and {@code MAX_INFLIGHT} are one. */
final class RelaxedName {
    private RelaxedName() {}

    static String of(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^\\p{Alnum}]", "");
    }

    static boolean same(String one, String other) {
        return of(one).equals(of(other));
    }

    static Optional<String> find(String name, Collection<String> names) {
        return names.stream().filter(known -> same(name, known)).findFirst();
    }
}

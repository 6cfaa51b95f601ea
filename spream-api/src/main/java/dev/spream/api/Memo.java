package dev.spream.api;

import static java.util.Objects.requireNonNull;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is made when it is first asked for; if that fails, the next one who asks has it tried again. Confined to one thread. */
final class Memo<R> implements Supplier<R> {
    private final Supplier<? extends R> making;
    private @Nullable R made;

    private Memo(Supplier<? extends R> making) {
        this.making = making;
    }

    static <R> Supplier<R> of(Supplier<? extends R> making) {
        return new Memo<R>(making);
    }

    @Override
    public R get() {
        R known = made;
        if (known == null) {
            known = requireNonNull(making.get(), "what was made");
            made = known;
        }
        return known;
    }
}

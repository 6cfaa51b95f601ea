package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.memory.InMemoryProjectionStoreFixture;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests of the parts of a failure that may be disclosed. */
final class ErrorTextTest {
    @Test
    void foreign_exceptions_are_shown_by_type_and_place_only() {
        String text = ErrorText.of(new UncheckedIOException("secret", new IOException("secret as well")));
        assertThat(text)
                .startsWith(UncheckedIOException.class.getName() + " at " + ErrorTextTest.class.getName())
                .contains("caused by " + IOException.class.getName())
                .doesNotContain("secret");
    }

    @Test
    void exceptions_of_spream_are_shown_by_their_message() {
        assertThat(ErrorText.of(new StorageException("the store is away", true, null)))
                .isEqualTo("the store is away");
        assertThat(ErrorText.of(new ProjectionException(FailureKind.POISON, "no such account", new IOException("x"))))
                .isEqualTo("no such account");
    }

    @Test
    void a_store_describes_what_others_throw() {
        ProjectionStore<Transaction> store = new Describing(failure -> "SQLSTATE 23505 " + "x".repeat(5_000));
        assertThat(ErrorText.of(store, new IOException("secret")))
                .startsWith("SQLSTATE 23505")
                .hasSize(1_000);
        assertThat(ErrorText.of(store, new StorageException("the store is away", true, null)))
                .isEqualTo("the store is away");
    }

    @Test
    void a_store_that_cannot_describe_a_failure_does_not_hide_it() {
        Describing broken = new Describing(failure -> {
            throw new IllegalStateException("broken");
        });
        assertThat(ErrorText.of(broken, new IOException("secret")))
                .startsWith(IOException.class.getName() + " at ")
                .doesNotContain("secret", "broken");
    }

    @Test
    void it_is_short() {
        assertThat(ErrorText.of(new ProjectionException(FailureKind.POISON, "x".repeat(5_000), null)))
                .hasSize(1_000);
    }

    /** Says something of its own of what fails. */
    private static final class Describing extends ForwardingProjectionStore<Transaction> {
        private final Function<Exception, String> text;

        Describing(Function<Exception, String> text) {
            super(new InMemoryProjectionStoreFixture().store());
            this.text = text;
        }

        @Override
        protected <V> V call(String operation, Callable<V> call) throws Exception {
            return call.call();
        }

        @Override
        public String describe(Exception failure) {
            return text.apply(failure);
        }
    }
}

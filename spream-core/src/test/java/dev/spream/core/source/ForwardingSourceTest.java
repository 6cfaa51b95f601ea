package dev.spream.core.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ForwardingSourceTest {
    static Stream<Method> methods() {
        return Stream.of(ChangeStreamSource.class.getMethods());
    }

    @ParameterizedTest
    @MethodSource("methods")
    void every_call_reaches_the_other_source(Method method) throws Exception {
        List<String> called = new ArrayList<>();
        ChangeStreamSource other = (ChangeStreamSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ChangeStreamSource.class}, (proxy, call, arguments) -> {
                    called.add(call.getName());
                    return call.getReturnType() == int.class ? 1 : null;
                });
        method.invoke(new Plain(other), new @Nullable Object[method.getParameterCount()]);
        assertThat(called).containsExactly(method.getName());
    }

    private static final class Plain extends ForwardingSource {
        Plain(ChangeStreamSource source) {
            super(source);
        }

        @Override
        protected Optional<ChangeRecord> next(PartitionToken partition, ChangeStreamCursor cursor)
                throws InterruptedException {
            return cursor.next();
        }
    }
}

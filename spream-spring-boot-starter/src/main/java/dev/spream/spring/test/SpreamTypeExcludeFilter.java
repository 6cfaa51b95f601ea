package dev.spream.spring.test;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.spring.SpreamCustomizer;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Excludes the components that spream does not use from a {@link SpreamTest}. */
final class SpreamTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<SpreamTest> {
    private static final Set<Class<?>> INCLUDED = Set.of(
            Consumer.class,
            ChangeStreamSource.class,
            PartitionStorage.class,
            DeadLetterSink.class,
            ErrorHandler.class,
            SubscriptionListener.class,
            SpreamCustomizer.class);

    SpreamTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        return INCLUDED;
    }
}

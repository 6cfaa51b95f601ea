package dev.spream.spring.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds {@link AutoConfigureSpannerEmulator} on a test class, an outer class, or another annotation of it. */
final class SpannerEmulatorCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        AutoConfigureSpannerEmulator emulator =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureSpannerEmulator.class);
        return emulator == null
                ? null
                : new EmulatorCustomizer(new SpannerEmulatorInitializer(
                        List.of(emulator.ddl()), List.of(emulator.statements()), emulator.dialect()));
    }

    /** Equal for tests with the same DDL, which share a context. */
    private record EmulatorCustomizer(SpannerEmulatorInitializer initializer) implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
            initializer.initialize(context);
        }
    }
}

package dev.spream.spring;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.spream.api.spi.ConfigType;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The rules of the starter: each optional library is used in one package, which an application without it never loads. */
final class ArchitectureTest {
    private static final String ROOT = "dev.spream.spring";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void an_application_needs_spring_boot_and_the_api_alone() {
        classes()
                .that(resideInAPackage(ROOT))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                ROOT,
                                "dev.spream.api",
                                "dev.spream.api.config..",
                                "dev.spream.api.health..",
                                "dev.spream.api.plugin..",
                                "dev.spream.core..",
                                "org.jspecify..",
                                "org.slf4j..",
                                "org.springframework.aop.scope..",
                                "org.springframework.beans..",
                                "org.springframework.boot",
                                "org.springframework.boot.autoconfigure..",
                                "org.springframework.boot.context..",
                                "org.springframework.boot.convert..",
                                "org.springframework.boot.diagnostics..",
                                "org.springframework.boot.origin..",
                                "org.springframework.context..",
                                "org.springframework.core..",
                                "org.springframework.util")
                        .or(type(ConfigType.class))) // durations have one written form
                .check(CLASSES);
    }

    @Test
    void optional_libraries_stay_in_their_packages() {
        stays("actuate", "org.springframework.boot.actuate..", "org.springframework.boot.health..");
        stays("jdbc", "javax.sql..", "java.sql..", "dev.spream.storage.jdbc..", "org.springframework.jdbc..");
        stays("jdbc", "org.springframework.transaction..");
        stays("lock", "org.aopalliance..", "org.springframework.aop.framework..", "org.springframework.aop.support..");
        stays("metrics", "io.micrometer..", "dev.spream.api.metrics..");
        stays(
                "test",
                "org.junit..",
                "org.springframework.test..",
                "org.springframework.boot.test..",
                "dev.spream.emulator..");
        stays("tracing", "io.opentelemetry..", "dev.spream.api.tracing..");
    }

    private static void stays(String name, String... libraries) {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "." + name)
                .should()
                .dependOnClassesThat(resideInAnyPackage(libraries))
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "." + name)
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "." + name))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void a_package_holds_at_most_40_types() {
        Map<String, Long> types = CLASSES.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(40));
    }

    @Test
    void only_what_an_application_names_is_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "AutoConfigureSpannerEmulator",
                        "DataSourceStorageAutoConfiguration",
                        "LocksAutoConfiguration",
                        "OutboxAutoConfiguration",
                        "OutboxDestination",
                        "OutboxHealthAutoConfiguration",
                        "OutboxHealthIndicator",
                        "OutboxMetricsAutoConfiguration",
                        "OutboxWorkerHealth",
                        "OutboxWorkers",
                        "RunOnce",
                        "RunOnceAutoConfiguration",
                        "SpannerEmulatorInitializer",
                        "SpreamAutoConfiguration",
                        "SpreamCustomizer",
                        "SpreamEndpoint",
                        "SpreamEndpointAutoConfiguration",
                        "SpreamHealthAutoConfiguration",
                        "SpreamHealthIndicator",
                        "SpreamMetricsAutoConfiguration",
                        "SpreamProperties",
                        "SpreamSubscription",
                        "SpreamSubscriptions",
                        "SpreamTest",
                        "SpreamTracingAutoConfiguration",
                        "StorageFromBean",
                        "SenderBeans",
                        "SubscriptionStatus",
                        "TransactionalOutbox");
    }
}

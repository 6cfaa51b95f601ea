package dev.spream.api;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What may use what: plug-in authors see the SPI alone, and nobody but the Guice module sees Guice. */
final class ArchitectureTest {
    private static final String API = "dev.spream.api";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(API);

    @Test
    void guice_stays_in_its_package() {
        classes()
                .that(resideInAPackage(API + ".."))
                .and()
                .resideOutsideOfPackages(API + ".guice..", API + ".metrics..", API + ".tracing..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "dev.spream.core..",
                        "dev.spream.lock..",
                        "dev.spream.outbox..",
                        "dev.spream.projection..",
                        API + "..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "com.google.auto.service.."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(API + ".guice..")
                .should()
                .dependOnClassesThat(resideInAPackage(API + ".guice.."))
                .check(CLASSES);
    }

    @Test
    void micrometer_and_opentelemetry_stay_in_their_packages() {
        apart("metrics", "io.micrometer..");
        apart("tracing", "io.opentelemetry..");
    }

    /** The package uses the library and the core, and nobody here uses the package. */
    private static void apart(String name, String library) {
        classes()
                .that(resideInAPackage(API + "." + name + ".."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "dev.spream.core..",
                        "dev.spream.lock..",
                        "dev.spream.outbox..",
                        "dev.spream.projection..",
                        "org.slf4j..",
                        "org.jspecify..",
                        library,
                        API + "." + name + ".."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(API + "." + name + "..")
                .should()
                .dependOnClassesThat(resideInAPackage(API + "." + name + ".."))
                .check(CLASSES);
    }

    @Test
    void nothing_here_uses_a_database_or_an_http_client() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql..", "java.net.http.."))
                .check(CLASSES);
    }

    @Test
    void packages_use_only_those_that_are_further_in() {
        mayUse("spi");
        mayUse("filter");
        mayUse("config", "spi");
        mayUse("plugin", "config", "spi");
        mayUse("storage", "spi");
        mayUse("event", "spi");
        slices().matching(API + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName))
                .containsOnly(
                        API,
                        API + ".config",
                        API + ".event",
                        API + ".filter",
                        API + ".guice",
                        API + ".metrics",
                        API + ".plugin",
                        API + ".plugin.classloader",
                        API + ".spi",
                        API + ".storage",
                        API + ".tracing");
    }

    private static void mayUse(String name, String... others) {
        String[] allowed = Stream.concat(
                        Stream.of(
                                "java..",
                                "dev.spream.core..",
                                "dev.spream.lock..",
                                "dev.spream.outbox..",
                                "dev.spream.projection..",
                                "org.slf4j..",
                                "org.jspecify..",
                                "com.google.auto.service..",
                                API + "." + name + ".."),
                        Arrays.stream(others).map(other -> API + "." + other + ".."))
                .toArray(String[]::new);
        classes()
                .that(resideInAPackage(API + "." + name + ".."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed))
                .check(CLASSES);
    }
}

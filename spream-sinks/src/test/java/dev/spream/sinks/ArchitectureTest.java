package dev.spream.sinks;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Adapters on the JDK alone: files and streams in one package, HTTP in the other, and neither uses the other. */
final class ArchitectureTest {
    private static final String SINKS = "dev.spream.sinks";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(SINKS);

    @Test
    void they_depend_on_the_jdk_the_ports_and_what_providers_implement() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "com.google.auto.service..",
                        "dev.spream.core",
                        "dev.spream.core.consume..",
                        "dev.spream.core.partition..",
                        "dev.spream.core.record..",
                        "dev.spream.outbox",
                        "dev.spream.api.format..",
                        "dev.spream.api.spi..",
                        "dev.spream.sink.files..",
                        SINKS + ".."))
                .check(CLASSES);
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql.."))
                .check(CLASSES);
    }

    @Test
    void files_and_http_are_apart() {
        noClasses()
                .that(resideInAPackage(SINKS))
                .should()
                .dependOnClassesThat(resideInAnyPackage(SINKS + ".http..", "java.net.."))
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage(SINKS + ".http.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(SINKS, "java.nio.file.."))
                .check(CLASSES);
    }

    @Test
    void only_providers_and_what_programs_use_are_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName)
                        .filter(name -> !name.endsWith("Provider")))
                .containsExactlyInAnyOrder("HttpSender", "JsonLines", "JsonlDeadLetterSink", "LineOutput");
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName)).containsOnly(SINKS, SINKS + ".http");
    }
}
